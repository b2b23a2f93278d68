import { nodesText, sizeText } from '../base/units.ts';
import type { Cell } from './records.ts';

/** A cell as people name it. */
export function cellName({ nodes, scale, params, bw, rep, role, profile }: Cell): string {
  const told = params === undefined ? '' : `${paramsText(params)}, `;
  const visit = role === 'drift' ? ' (baseline again)' : rep > 1 ? `, rep ${rep}` : '';
  return `${nodesText(nodes)}${sizeText(scale)}, ${told}${bw} %${visit}${profile ? ` (profiled, ${profile.kind})` : ''}`;
}

/** `algorithm=bfs, threads=2`: what a workload is told beside the scale. */
export function paramsText(params: NonNullable<Cell['params']>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
