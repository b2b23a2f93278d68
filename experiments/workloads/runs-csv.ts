import { badInput } from '../../base/errors.ts';
import { type TimedRun, timedRunSchema } from '../records.ts';

const HEADER = 'root,key,time_s,nedge,teps,validate_s,bytes_sent';

/** The roots file of agents/graph500: times in seconds at full precision; validate_s is -1 when validation is off. */
export function parseRunsCsv(text: string): TimedRun[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (header?.trim() !== HEADER) throw badInput(`The roots file does not begin with '${HEADER}'.`);
  return lines.map((line, index) => {
    const [place, , ct, nedge, teps, validate, bytes] = line.split(',').map(Number);
    const validateS = validate === undefined || validate < 0 ? null : validate;
    // A search of a lone vertex crosses no edge and has no rate.
    const parsed = timedRunSchema.safeParse({ index: place, ct, nedge, teps: teps === 0 ? null : teps, validateS });
    if (!parsed.success || bytes === undefined || !Number.isFinite(bytes)) {
      throw badInput(`The roots file is damaged at line ${index + 2}: '${line.slice(0, 80)}'.`);
    }
    return parsed.data;
  });
}
