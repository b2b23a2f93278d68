// Timely traces of 10^5 to 10^7 events, from JSON lines and from columns: events in a second of processor time, bytes per activity.
// PATH_EVENTS=100000,870000 tries other sizes.
import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateTrace } from '../../analysis/path/timely/generate-trace.ts';
import { measureCommand } from '../measure-command.ts';

const SIZES = (process.env.PATH_EVENTS ?? '100000,870000,1000000,10000000').split(',').map(Number);
const RUNS = 3;
const run = promisify(execFile);
const worker = fileURLToPath(new URL('./timely-once.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-timely-'));

interface Once {
  readonly events: number;
  readonly seconds: number;
  /** Of all threads: those that compile and collect garbage too. */
  readonly cpuSeconds: number;
  readonly activities: number;
  readonly bytes: number;
}

try {
  console.log(
    'Timely traces of 4 workers with 6 operators (aim 1.5 million events/s from lines, 5 million/s from columns)',
  );
  console.log('   events    MB  from     seconds  CPU s  million/CPU s  activities  bytes each');
  for (const events of SIZES) {
    const [lines, columns] = [join(folder, 'trace.jsonl'), join(folder, 'trace.columns')];
    await pipeline(generate(events), createWriteStream(lines));
    await measureCommand(['critical-path', '--activities', lines, '--save-columns', columns]);
    for (const [name, path] of [
      ['lines', lines],
      ['columns', columns],
    ] as const) {
      const { seconds, cpuSeconds, activities, bytes, events: counted } = await fastest(path);
      const cells = [
        String(counted).padStart(9),
        (statSync(path).size / 1e6).toFixed(0).padStart(4),
        name.padEnd(7),
        seconds.toFixed(3).padStart(8),
        cpuSeconds.toFixed(2).padStart(5),
        (counted / cpuSeconds / 1e6).toFixed(2).padStart(13),
        String(activities).padStart(10),
        (bytes / activities).toFixed(0).padStart(10),
      ];
      console.log(cells.join('  '));
    }
    if (events !== 870_000) continue;
    const { wallSeconds, userSeconds, peakMegabytes } = await measureCommand(['critical-path', '--activities', lines]);
    console.log(
      `the whole command on 870000 events: ${wallSeconds.toFixed(2)} s (${userSeconds.toFixed(2)} s user), ` +
        `at most ${peakMegabytes.toFixed(0)} MB`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

function* generate(events: number): Generator<string> {
  yield* generateTrace({ workers: 4, operators: 6, events, input: 0.05, passOn: 0.9, exchange: 0.5, seed: 1 });
}

/** Other work on the machine only ever adds. */
async function fastest(path: string): Promise<Once> {
  const found: Once[] = [];
  for (let time = 0; time < RUNS; time += 1) {
    const { stdout } = await run(process.execPath, ['--expose-gc', worker, path]);
    found.push(JSON.parse(stdout));
  }
  return found.reduce((best, one) => (one.cpuSeconds < best.cpuSeconds ? one : best));
}
