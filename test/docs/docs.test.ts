import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPlatform } from '../../analysis/platform/load-platform.ts';
import { queryGraph } from '../../analysis/profiles/graph/query-graph.ts';
import { importProfiles } from '../../analysis/profiles/store/import-profiles.ts';
import { projectRoot } from '../../base/paths.ts';
import { readYaml } from '../../base/yaml/read-yaml.ts';
import { duckdb } from '../../experiments/store/duckdb.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { type Block, blocksOf, fragmentsOf, linksOf } from './blocks.ts';
import { readCommand, runCommand, verbs } from './run-command.ts';
import { predictWords, simpleCommands } from './shell-words.ts';
import { addAlgorithms, makeWorld } from './world.ts';

const textOf = (page: string): string => readFileSync(join(projectRoot(), page), 'utf8');
const docs = readdirSync(join(projectRoot(), 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', ...docs.map((name) => `docs/${name}`)];
const BLOCKS = PAGES.flatMap((page) => blocksOf(page, textOf(page)));

const ran = new Set<string>();
const counts = { tried: 0, texts: 0, samples: 0 };
const notRun: { readonly why: string; readonly what: string }[] = [];
const world = mkdtempSync(join(tmpdir(), 'docs-'));
const before = { folder: process.cwd(), home: process.env.HOME };

beforeAll(async () => {
  process.env.HOME = world;
  process.env.SLURM_JOB_ID = '1';
  process.env.SLURM_JOB_NODELIST = 'node[01-16]';
  await makeWorld(world);
  process.chdir(world);
});

afterAll(() => {
  process.chdir(before.folder);
  if (before.home !== undefined) process.env.HOME = before.home;
  for (const name of ['SLURM_JOB_ID', 'SLURM_JOB_NODELIST']) delete process.env[name];
  const read = notRun.map(({ why, what }) => `\n  ${why}: ${what}`);
  const { tried, texts, samples } = counts;
  console.log(
    `docs: ${BLOCKS.length} blocks: ${ran.size} commands ran, ${tried} sweeps as dry runs, ${samples} files were loaded, ${texts} texts; ${read.length} commands are read only:${read.join('')}`,
  );
});

describe('code blocks', () => {
  test.each(BLOCKS.map((block) => [`${block.page}:${block.line}`, block] as const))('%s', async (_, block) => {
    switch (block.language) {
      case 'sh':
        return await runBlock(block);
      case 'yaml':
        return await loadSample(block);
      case 'sql':
        return await query(block);
      case 'cypher':
        return await askGraph(block);
      case 'text':
        counts.texts += 1;
        return expect(block.lines.filter((line) => /^(?:\.\/)?predict [a-z]/.test(line))).toEqual([]);
      default:
        throw new Error('A block says what it is: sh, yaml, sql, cypher, or text for what nobody types.');
    }
  });
});

/** Runs each command of a block, sweeps as dry runs; those that comments before the block name are read only. */
async function runBlock({ page, line, lines, marks }: Block): Promise<void> {
  const named = marks.flatMap(({ why, beginnings }) => beginnings.map((beginning) => ({ why, beginning })));
  const unused = new Set(named);
  for (const text of lines) {
    for (const words of simpleCommands(text)) {
      const command = words.join(' ');
      const own = predictWords(words);
      if (own !== null) await readCommand(own);
      const mark = named.find(({ beginning }) => command === beginning || command.startsWith(`${beginning} `));
      if (mark !== undefined) {
        unused.delete(mark);
        notRun.push({ why: mark.why, what: `${page}:${line} ${mark.beginning}` });
      } else if (own?.[0] === 'sweep') {
        await runCommand([...own, '--dry-run']);
        counts.tried += 1;
      } else if (own !== null && own.length === words.length - 1) {
        if (own.includes('campaigns/ga') && !existsSync('campaigns/ga')) await addAlgorithms(world);
        if (!ran.has(command)) expect((await runCommand(own)).stdout).not.toBe('');
        ran.add(command);
      } else {
        throw new Error(
          `'${command}' is not run: a comment <!-- not run (why): ${words[0]} --> before the block may say why.`,
        );
      }
    }
  }
  expect([...unused], 'what a comment says is not run, and is not there').toEqual([]);
}

/** Loads a file as the command does that takes it: an inventory, a workload or a model. */
async function loadSample({ lines }: Block): Promise<void> {
  const text = `${lines.join('\n')}\n`;
  const sample = readYaml(text, { path: 'sample' }).value as Readonly<Record<string, unknown>>;
  const path = join(world, 'cluster' in sample ? 'sample.yaml' : `${sample.name}.yaml`);
  writeFileSync(path, text);
  if ('cluster' in sample) expect(loadInventory(path).hosts.length).toBeGreaterThan(0);
  else if ('kind' in sample) expect((await loadWorkload(path)).definition.name).toBe(sample.name);
  else if ('nodes' in sample) expect((await runCommand(['sweep', path, '--dry-run'])).stdout).toMatch(/^\d+ cells$/m);
  else expect((await loadPlatform(path)).name).toBe(sample.name);
  counts.samples += 1;
}

/** A query is asked in the folder of a campaign. */
async function query({ lines }: Block): Promise<void> {
  const cells = join(world, 'campaigns/first/cells/').replaceAll("'", "''");
  const result = await (await duckdb()).run(lines.join('\n').replace("'cells/", `'${cells}`));
  const rows = await result.getRowObjectsJson();
  expect(rows).toHaveLength(6);
  expect(rows[0]).toMatchObject({ scale: 22, nodes: 4, bw: 100, searches: '4', mean_ct: expect.any(Number) });
  counts.samples += 1;
}

/** A query in Cypher is asked of a small store of profiles. */
async function askGraph({ lines }: Block): Promise<void> {
  const store = join(world, 'graph-store');
  if (!existsSync(store)) {
    const file = join(world, 'graph.folded');
    writeFileSync(file, 'main;parse 9\nmain;read;parse 1\n');
    const run = { benchmark: 'bfs', testRun: '7', timeNs: 1n, metricMean: null, normalise: null };
    await importProfiles(store, [file], run);
  }
  expect((await queryGraph(store, lines.join('\n'))).rows.length).toBeGreaterThan(0);
  counts.samples += 1;
}

describe('links', () => {
  const rooms = readdirSync(projectRoot(), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('README.md') && !/node_modules|^dist|fixtures/.test(name),
  );
  test.each([...new Set([...PAGES, ...rooms])])('of %s lead somewhere', (page) => {
    const lost = linksOf(textOf(page)).filter(({ target }) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [path = '', fragment] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(projectRoot(), file))) return true;
      return fragment !== undefined && !fragmentsOf(textOf(file)).includes(fragment);
    });
    expect(lost.map(({ line, target }) => `${page}:${line} ${target}`)).toEqual([]);
  });

  test('to every page stand in the README', () => {
    const named = linksOf(textOf('README.md')).map(({ target }) => target);
    expect(docs.filter((name) => !named.includes(`docs/${name}`))).toEqual([]);
  });
});

describe('examples of --help', () => {
  test.each(verbs().map(({ name, command }) => [name, command] as const))('of %s are read', async (name, command) => {
    const help: string[] = [];
    command.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp();
    const examples = [...help.join('').matchAll(/^ {2}predict .*$/gm)].map(([line]) => line);
    expect(examples.length, `${name} has an example`).toBeGreaterThan(0);
    for (const example of examples) {
      const [words = []] = simpleCommands(example);
      await readCommand(predictWords(words) ?? ['no predict']);
    }
  });
});
