// node bundle.mjs PLACE FOLDER [SOURCE...]: bundles programs of PLACE into FOLDER. Of TypeScript it reads the syntax: types are checked
// by `npm run check`.
import { cpSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { identityOf } from './is-ready.cjs';

/** The command, and programs that it starts as processes of their own. */
const PROGRAMS = [
  'orchestrator/cli/main.ts',
  'experiments/store/locked-process.ts',
  'analysis/profiles/graph/ladybug-process.ts',
  'inventory/lab/end-when-gone.ts',
];
/** What the page of a report runs (report/planner). */
const PAGE_SCRIPT = 'report/planner/planner.ts';
/** What serves a page that a package has built. */
const BOARD = join('orchestrator', 'live', 'queue-board.ts');
/** Packages that find native code or files of their own stay as they are. */
const APART = [/^@duckdb\//, /^@ladybugdb\//, /^ssh2$/];
/** What a build is made from besides its sources. */
const TOOLS = ['package.json', 'package-lock.json', 'launch/bundle.mjs'];

const [given, to, ...asked] = process.argv.slice(2);
// The bundler names files by their real paths.
const [place, folder] = [realpathSync(given), resolve(to)];
const { rolldown } = await import(pathToFileURL(createRequire(join(place, 'package.json')).resolve('rolldown')).href);

/** Each with what it was before it was read: one that changes meanwhile is another. */
const inputs = [];
const note = (name) => inputs.push([name, ...identityOf(join(place, name))]);
for (const name of TOOLS) note(name);
const warnings = [];
/** It finds its page by `eval` where nobody says where that is. */
const isOfBoard = (message) => /eval/i.test(message) && message.includes('@bull-board/api');

/** Bundles one or more files. */
async function bundle(input, { plugins = [], ...options }, output) {
  const build = await rolldown({
    cwd: place,
    input,
    tsconfig: false,
    plugins: [
      ...plugins,
      {
        name: 'inputs',
        load(id) {
          const name = relative(place, id);
          if (!name.startsWith('..') && !name.split(sep).includes('node_modules')) note(name);
        },
      },
    ],
    onLog(level, { code, message }) {
      // What is loaded late by one importer and at once by another is loaded at once.
      if (level === 'warn' && code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && !isOfBoard(message)) warnings.push(message);
    },
    ...options,
  });
  await build.write({ dir: folder, comments: false, ...output });
}

/** The built page of Bull Board, in English alone; what it never asks a read-only server for stays out too. */
function copyQueueBoard() {
  const from = join(dirname(createRequire(join(place, 'package.json')).resolve('@bull-board/ui/package.json')), 'dist');
  const isKept = (path) => !/\/locales\/(?!en-US)[^/]+$|\.map$/.test(path.replaceAll(sep, '/'));
  cpSync(from, join(folder, 'queue-board', 'dist'), { recursive: true, filter: isKept });
}

try {
  const sources = asked.length === 0 ? PROGRAMS : asked;
  await bundle(
    Object.fromEntries(sources.map((source) => [basename(source, '.ts'), source])),
    { platform: 'node', external: APART },
    // Node reads these 10 ms sooner than ES modules.
    { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs', sourcemap: true },
  );
  if (asked.length === 0) {
    // What a browser runs asks nothing of Node: what comes along unused falls away.
    const builtin = (id) => (id.startsWith('node:') ? { id, external: true, moduleSideEffects: false } : null);
    const plugins = [{ name: 'builtin', resolveId: builtin }];
    await bundle(
      PAGE_SCRIPT,
      { platform: 'browser', plugins },
      { format: 'iife', entryFileNames: 'planner.js', minify: true },
    );
  }
  if (asked.length === 0 && inputs.some(([name]) => name === BOARD)) copyQueueBoard();
  // Such as an import of a package that is not there.
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
  writeFileSync(join(folder, 'inputs.json'), JSON.stringify(inputs));
} catch (error) {
  // It shows each place with its line.
  console.error(stripVTControlCharacters(error.message));
  process.exitCode = 1;
}
