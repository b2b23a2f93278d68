// node dist/test/cases/compare-folder.js FOLDER: every case of a folder with `mpi/NAME/{input,expected}.json`, `graphs/NAME{,.expected}.json`
// and `traces/NAME{.jsonl,.expected.json}[.gz]` goes through run.mjs, and each value of its reference output is compared.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';

/** Differences of one case that are printed. */
const SHOWN = 5;

const folder = at(process.argv, 2);
let [values, failed] = [0, 0];

for (const name of names('mpi').filter((one) => existsSync(join(folder, 'mpi', one, 'input.json')))) {
  const file = (end: string): string => join('mpi', name, `${end}.json`);
  check(`mpi/${name}`, join(folder, file('input')), read(file('expected')));
}
for (const name of names('graphs').filter((one) => one.endsWith('.expected.json'))) {
  const graph = join(folder, 'graphs', name.replace('.expected', ''));
  check(`graphs/${name}`, graph, read(join('graphs', name)));
}
for (const name of names('traces').filter((one) => /\.expected\.json(\.gz)?$/.test(one))) {
  const trace = join(folder, 'traces', name.replace(/\.expected\.json(\.gz)?$/, ''));
  // How fast another program was is no answer.
  const { timing: _, events_per_s: __, ...wanted } = read(join('traces', name)) as Record<string, unknown>;
  check(`traces/${name}`, trace, wanted);
}
console.log(`${values} values, ${failed} cases that differ`);
process.exitCode = failed > 0 ? 1 : 0;

function names(kind: string): readonly string[] {
  const path = join(folder, kind);
  return existsSync(path) ? readdirSync(path).sort() : [];
}

function read(path: string): unknown {
  const bytes = readFileSync(join(folder, path));
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}

function check(name: string, path: string, wanted: unknown): void {
  const words = [join(projectRoot(), 'test/cases/run.mjs'), 'critical-path', path];
  const text = execFileSync(process.execPath, words, {
    ...{ maxBuffer: 2 ** 30, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const found = differences(JSON.parse(text), wanted, '');
  if (found.length > 0) failed += 1;
  console.log([`${found.length === 0 ? 'same' : 'DIFFERS'} ${name}`, ...found.slice(0, SHOWN)].join('\n  '));
}

/** Where a value lacks something that is wanted, or a record of counts has a key of its own. */
function differences(found: unknown, wanted: unknown, where: string): string[] {
  if (typeof wanted !== 'object' || wanted === null) {
    values += 1;
    return found === wanted ? [] : [`${where}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`];
  }
  if (typeof found !== 'object' || found === null) return [`${where}: ${JSON.stringify(found)}`];
  const [own, keys] = [found as Record<string, unknown>, Object.keys(wanted)];
  const counts = !Array.isArray(wanted) && Object.values(wanted).every((value) => typeof value === 'number');
  const more = counts || Array.isArray(wanted) ? Object.keys(own).filter((key) => !keys.includes(key)) : [];
  return [
    ...more.map((key) => `${where}.${key}: not in the reference`),
    ...keys.flatMap((key) => differences(own[key], (wanted as Record<string, unknown>)[key], `${where}.${key}`)),
  ];
}
