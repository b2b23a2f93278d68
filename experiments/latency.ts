import { z } from 'zod';
import { NUMBERS } from '../base/bounds.ts';
import { badInput } from '../base/errors.ts';
import { ascending } from '../base/lists.ts';
import { shortened } from '../base/text.ts';
import { field } from '../base/yaml/yaml-fields.ts';
import type { Cell } from './records.ts';
import type { Workload } from './workloads/workload.ts';

/** The parameter of cells that the network has, not the workload. */
export const LATENCY = 'latency';

const { least, most } = NUMBERS['--latency'];
export const latencySchema = z.number().min(least).max(most);

const WRITTEN = /^(\d+(?:\.\d+)?) ?(us|ms|s)?$/;
const MS_OF: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1e3 };

/** `0,0.5ms,2ms`, or a list of such times, -> milliseconds, ascending, each once. A number alone is milliseconds, as cells have them. */
export function latencyField() {
  const entry = z.union([z.string().min(1), z.number().meta({ minimum: least, maximum: most })]);
  return field(z.union([entry, z.array(entry).min(1)]), (written): number[] => {
    const texts = Array.isArray(written) ? written.map(String) : String(written).split(',');
    return ascending(texts.map(parseLatency));
  });
}

function parseLatency(text: string): number {
  const match = WRITTEN.exec(text.trim());
  if (!match) {
    throw badInput(`'${shortened(text.trim())}' is not a latency: write 0, or a time such as 500us or 2ms.`);
  }
  // To whole microseconds, as the agent counts.
  const ms = Math.round(Number(match[1]) * (MS_OF[match[2] ?? 'ms'] ?? Number.NaN) * 1e3) / 1e3;
  if (ms <= most) return ms;
  throw badInput(`${shortened(text.trim())} is outside its range: latencies go from ${least} to ${most} ms.`);
}

/** Whether a parameter of a cell is the network's: values of --param are texts, also of one that is called so. */
export function isLatency(name: string, value: string | number): value is number {
  return name === LATENCY && typeof value === 'number';
}

/** What the network adds to each message of a cell one way, ms. */
export function latencyOf({ params }: Pick<Cell, 'params'>): number {
  const value = params?.[LATENCY] ?? 0;
  return isLatency(LATENCY, value) ? value : 0;
}

/** Errors: `badInput` where a workload reads a parameter of that name itself. */
export function refuseLatency({ definition: { name }, parameters }: Workload): void {
  if (!parameters.includes(LATENCY)) return;
  throw badInput(
    `--latency: ${name} has a parameter of its own that is called ${LATENCY}: rename that one, or leave this option out.`,
  );
}
