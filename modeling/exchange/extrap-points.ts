// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (POINTS)
import { badInput } from '../../base/index.ts';
import { finiteNumber } from './text.ts';

/**
 * The coordinates of a POINTS line: `4 8 16` for one parameter, `( 4 10 ) ( 4 20 )` for several; brackets around single
 * numbers, `((4) (10))`, change nothing. `where` begins the sentence of an error.
 */
export function parsePoints(
  text: string,
  { parameters, where }: { readonly parameters: readonly string[]; readonly where: string },
): number[][] {
  const points: number[][] = [];
  let open: number[] = [];
  let depth = 0;
  for (const token of text.replace(/[()]/g, ' $& ').trim().split(/\s+/)) {
    if (token === '(') {
      depth += 1;
      if (depth > 2) throw badInput(`${where}: more than two nested brackets in '${text}': write ( 4 10 ).`);
      if (depth === 1) open = [];
    } else if (token === ')') {
      depth -= 1;
      if (depth < 0) throw badInput(`${where}: a ')' without its '(' in '${text}': write ( 4 10 ).`);
      if (depth === 0) points.push(fitting(open, { parameters, where }));
    } else {
      const value = finiteNumber(token, { where, what: 'a coordinate' });
      if (depth > 0) open.push(value);
      else points.push(fitting([value], { parameters, where }));
    }
  }
  if (depth > 0) throw badInput(`${where}: a '(' is not closed in '${text}': the line is truncated or lacks a ')'.`);
  return points;
}

function fitting(
  point: number[],
  { parameters, where }: { readonly parameters: readonly string[]; readonly where: string },
): number[] {
  if (point.length === parameters.length) return point;
  const wanted = `${parameters.length} (${parameters.join(', ')})`;
  throw badInput(
    `${where}: the point '( ${point.join(' ')} )' has ${point.length} coordinates, the parameters are ${wanted}: give one per parameter.`,
  );
}
