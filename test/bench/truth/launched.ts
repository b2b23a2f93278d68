// `predict` of another checkout, asked as people ask it: `compare --train-nodes`, one call after another.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distinct, type Rows } from '../../../modeling/rows.ts';
import type { Method } from './methods.ts';
import type { Split } from './tables.ts';

/** What `compare --json` says of unseen cells, whichever version says it. */
interface Told {
  readonly chosen: string;
  readonly unseen?: readonly {
    readonly name: string;
    readonly cells: readonly {
      readonly measured: number;
      readonly predicted: number;
      readonly interval: { readonly low: number | null; readonly high: number | null } | null;
      readonly abstains?: string | null;
    }[];
  }[];
}

/** The launcher of a checkout. A split that it refuses has no answer; anything else that goes wrong is an error. */
export function launched(name: string, folder: string): Method {
  return {
    name,
    intervals: true,
    answer: (split) => {
      const told = ask(join(folder, 'predict'), split);
      // Where forms are mixed the mixture is what people get, else the chosen form.
      const own =
        told?.unseen?.find((one) => one.name === 'auto') ?? told?.unseen?.find((one) => one.name === told.chosen);
      if (!own) return { answers: null };
      const answers = own.cells.map(({ measured, predicted, interval, abstains = null }) => ({
        measured,
        // A time of 0 and below is wrong beyond all measure.
        predicted: Math.max(predicted, Number.MIN_VALUE),
        low: Math.max(interval?.low ?? 0, Number.MIN_VALUE),
        high: interval?.high ?? Number.MAX_VALUE,
        abstains: abstains !== null,
      }));
      return { answers };
    },
  };
}

/** Exit code of bad input: the rows determine no form. */
const REFUSES = 2;

/** A campaign of a later format counts by its rows. */
function ask(launcher: string, { training, unseen, ranksPerNode, campaign }: Split): Told | null {
  const folder = mkdtempSync(join(tmpdir(), 'predict-truth-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'rows.csv');
  writeFileSync(file, csvOf([training, unseen]));
  const train = distinct(training, 'nodes').join(',');
  const compare = (rows: readonly string[]): Told | null =>
    toldBy(launcher, ['compare', ...rows, '--train-nodes', train, '--ranks-rule', 'any', '--json']);
  try {
    const own = campaign === undefined ? null : compare([campaign]);
    return own ?? compare(['--data', file, '--ranks-per-node', String(ranksPerNode)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toldBy(launcher: string, args: readonly string[]): Told | null {
  try {
    return JSON.parse(execFileSync(launcher, args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 1 << 28 }));
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === REFUSES) return null;
    throw error;
  }
}

function csvOf(parts: readonly Rows[]): string {
  const lines = parts.flatMap((rows) =>
    Array.from(rows.ct, (ct, index) => [rows.scale[index], rows.nodes[index], rows.bw[index], ct].join(',')),
  );
  return `${['scale,nodes,bw,ct', ...lines].join('\n')}\n`;
}
