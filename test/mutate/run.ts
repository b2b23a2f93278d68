// npm run mutate -- [--count 120] [--seed 1] [--rooms modeling,throttle] [--jobs 2]: changes the program a little, one change at a
// time, in copies of this tree, and counts how many changes the tests of the room notice. Changes are drawn over all rooms, each room as
// often as it has code; faults of these rooms that have a name are always tried.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { type Mutant, mutantsOf, mutate } from './mutants.ts';
import { NAMED } from './named.ts';

/** Rooms, and the folders below test/ that must notice a change in them. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  modeling: ['modeling'],
  throttle: ['throttle', 'orchestrator'],
  experiments: ['experiments'],
  orchestrator: ['orchestrator', 'lab'],
  analysis: ['analysis', 'cases'],
  report: ['report', 'analysis'],
};
/** A change that makes a test run for ever is noticed too: this is several times what any room's tests take. */
const LONGEST_MS = 1_200_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: Object.keys(TESTS).join(',') },
    jobs: { type: 'string', default: '2' },
  },
});

type Outcome = 'killed' | 'survived';
interface Judged {
  readonly outcome: Outcome;
  /** By the tests that noticed it. */
  readonly said: string;
}
interface Tried extends Mutant {
  /** The room of a drawn change; those that have a name are counted together. */
  readonly group: string;
  readonly outcome: Outcome;
}
/** The units first: most changes are noticed there, in seconds. */
const UNITS = ['unit', 'slow units'] as const;
const PROJECTS = [...UNITS, 'machine', 'clusters'] as const;
const NAMED_GROUP = 'named faults';

const root = projectRoot();
const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
const files = stdout.split('\n').filter((file) => existsSync(join(root, file)));
const random = createRandom(Number(values.seed));
const rooms = values.rooms.split(',');
const named = namedMutants();
const queue = [...named, ...drawnMutants()].values();
const tried: Tried[] = [];
const unproved = new Set(rooms);
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
print();

function namedMutants(): Mutant[] {
  return NAMED.filter(({ file }) => rooms.includes(roomOf(file))).map(({ file, from, to, what }) => {
    const start = readFileSync(join(root, file), 'utf8').indexOf(from);
    if (start < 0) throw new Error(`the fault '${what}' has no place in ${file} any more: '${from}' is not there`);
    return { file, start, end: start + from.length, text: to, what };
  });
}

/** As many mutants as asked for, each of all that the rooms have as likely as another. */
function drawnMutants(): Mutant[] {
  const all = files
    .filter((file) => rooms.includes(roomOf(file)) && file.endsWith('.ts') && !file.endsWith('index.ts'))
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
  const wanted = Math.min(Number(values.count), all.length);
  for (let place = 0; place < wanted; place += 1) {
    const other = place + Math.floor(random.uniform() * (all.length - place));
    [all[place], all[other]] = [all[other] as Mutant, all[place] as Mutant];
  }
  return all.slice(0, wanted);
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** Takes one mutant after the other in a copy of the tree. */
async function work(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'predict-mutate-'));
  try {
    for (const file of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(join(root, file), join(copy, file));
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true, verbatimSymlinks: true });
    for (const room of unproved) {
      unproved.delete(room);
      // Tests that fail anyway would count every change as noticed.
      const { outcome, said } = await judge(copy, `${room}/`, TESTS[room] ?? []);
      if (outcome === 'killed') throw new Error(`the tests of ${room} fail as they are:\n${said.slice(-4000)}`);
    }
    for (const mutant of queue) {
      const path = join(copy, mutant.file);
      const code = readFileSync(path, 'utf8');
      writeFileSync(path, mutate(code, mutant));
      const room = roomOf(mutant.file);
      const { outcome, said } = await judge(copy, mutant.file, TESTS[room] ?? []);
      writeFileSync(path, code);
      tried.push({ ...mutant, group: named.includes(mutant) ? NAMED_GROUP : room, outcome });
      const [, by] = /^ FAIL +(.*)$/m.exec(stripVTControlCharacters(said)) ?? [];
      process.stderr.write(`${outcome.padEnd(9)} ${mutant.file} ${mutant.what}${by === undefined ? '' : ` (${by})`}\n`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Runs the tests in some folders that reach a file, of a whole room those that there are, up to the first that fails: units that
 * import it themselves first, which most often know.
 */
async function judge(copy: string, file: string, wanted: readonly string[]): Promise<Judged> {
  const folders = readdirSync(join(copy, 'test'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const left = folders.filter((folder) => !wanted.includes(folder)).map((folder) => `test/${folder}/**`);
  const vitest = async (words: readonly string[]): Promise<Judged> => {
    const how = ['--maxWorkers=2', '--bail=1', '--reporter=dot', '--passWithNoTests'];
    const { exitCode, all: said } = await execa(join(copy, 'node_modules/.bin/vitest'), [...words, ...how], {
      ...{ cwd: copy, reject: false, timeout: LONGEST_MS, killSignal: 'SIGKILL', stdin: 'ignore', all: true },
      env: { PREDICT_LEAVE_OUT: left.join(',') },
    });
    return { outcome: exitCode === 0 ? 'survived' : 'killed', said };
  };
  const near = files.filter(
    (test) => /^test\/.*\.test\.ts$/.test(test) && readFileSync(join(root, test), 'utf8').includes(`/${file}'`),
  );
  if (near.length > 0) {
    const judged = await vitest(['run', ...UNITS.flatMap((name) => ['--project', name]), ...near]);
    if (judged.outcome === 'killed') return judged;
  }
  // Tests that start the command want it built: what they see is the change, not that it is being compiled.
  await execa(join(copy, 'predict'), ['--version'], { reject: false, stdin: 'ignore' });
  const which = file.endsWith('/') ? ['run'] : ['related', file, '--run'];
  for (const project of PROJECTS) {
    const judged = await vitest([...which, '--project', project]);
    if (judged.outcome === 'killed') return judged;
  }
  return { outcome: 'survived', said: '' };
}

function print(): void {
  for (const one of tried.filter(({ outcome }) => outcome === 'survived'))
    console.log(`survived  ${one.file} ${one.what}`);
  const drawn = tried.filter(({ group }) => group !== NAMED_GROUP);
  const groups = [...new Set(tried.map(({ group }) => group))].sort();
  for (const group of groups)
    printShare(
      group,
      tried.filter((one) => one.group === group),
    );
  printShare('all drawn', drawn);
}

function printShare(name: string, own: readonly Tried[]): void {
  const killed = own.filter(({ outcome }) => outcome === 'killed').length;
  const percent = own.length === 0 ? 0 : (100 * killed) / own.length;
  console.log(`${name.padEnd(14)} ${killed} of ${own.length} killed, ${percent.toFixed(0)} %`);
}
