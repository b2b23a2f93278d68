import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { plan } from '../../experiments/plan.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { tempFolder } from '../experiments/make.ts';
import { runGraph500 } from './run-graph500.ts';

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the options of the bundled Graph500 (needs mpirun)', () => {
  beforeAll(() => buildHostPrograms());

  it.each(['--help', '-h'])('%s lists every option of the table, and nothing else', async (help) => {
    const source = readFileSync(join(projectRoot(), 'agents', 'graph500', 'options.c'), 'utf8');
    const table = [...source.matchAll(/^ +\{"(--[a-z-]+)", (?:NULL|"([A-Z]+|[a-z|]+)")/gm)].map(([, name, value]) =>
      value ? `${name} ${value}` : `${name}`,
    );
    const { exitCode, stdout } = await runGraph500(1, help);
    expect(exitCode).toBe(0);
    expect(table.length).toBeGreaterThan(10);
    expect(
      [...stdout.matchAll(/^ {2}(--\S+(?: (?:[A-Z]+|[a-z]+(?:\|[a-z]+)+))?) +\S/gm)].map(([, listed]) => listed),
    ).toEqual(table);
  });

  it('a sweep with strict=true gives what the program accepts, with a trace of every search', async () => {
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const texts = { nodes: '4', scales: '8', bw: '100', param: ['strict=true'] };
    const [cell] = plan(parseSweep(texts), { workload, ranksPerNode: 1, hosts: 4 });
    if (cell === undefined) throw new Error('there is no cell');
    const folder = tempFolder();
    const where = { outputFolder: folder, cacheFolder: `${folder}/cache`, hosts: [], seed: 1 };
    const { argv } = workload.invocation(cell, { ...where, datasetFolder: () => '', program: () => '' });
    const { exitCode, stdout, stderr } = await runGraph500(cell.ranks, ...argv.slice(1));
    expect([exitCode, stderr.match(/^Validate time for BFS \d+ is/gm)?.length]).toEqual([0, 64]);
    expect(stdout).toMatch(/^graph_cache: +off$/m);
    expect(readFileSync(`${folder}/phases.csv`, 'utf8').match(/^0,bfs,/gm)).toHaveLength(64);
  });

  it.each([
    ['an unknown option', ['--nonsense'], "unknown option '--nonsense'; --help lists the options."],
    ['a name and value in one', ['--scale=4'], "unknown option '--scale=4'; --help lists the options."],
    ['a third plain word', ['5', '4', '3'], "unknown option '3'; --help lists the options."],
    ['a missing value', ['--scale'], '--scale needs a value.'],
    ['an empty value', ['--phases', ''], '--phases needs a value.'],
    ['a number below the range', ['--scale', '0'], "--scale must be a whole number from 1 to 40, not '0'."],
    ['one above it', ['--edgefactor', '1025'], "--edgefactor must be a whole number from 1 to 1024, not '1025'."],
    [
      'one above an inner bound',
      ['--roots', '1048577'],
      "--roots must be a whole number from 1 to 1048576, not '1048577'.",
    ],
    ['a negative number', ['--validate', '-1'], "--validate must be a whole number from 0 to 1048576, not '-1'."],
    ['a fault that is none', ['--corrupt', '12'], "--corrupt must be a whole number from 1 to 11, not '12'."],
    [
      'a number past 64 bits',
      ['--seed', '18446744073709551616'],
      "--seed must be a whole number from 0 to 18446744073709551615, not '18446744073709551616'.",
    ],
    ['a SCALE that is no number', ['7x'], "--scale must be a whole number from 1 to 40, not '7x'."],
    ['an EDGEFACTOR out of range', ['7', '0'], "--edgefactor must be a whole number from 1 to 1024, not '0'."],
    [
      'an entry with fewer searches',
      ['--strict', '--roots', '4'],
      '--strict asks for 64 searches, 16 edges per vertex, validation of all, no --warm-up, --graph-cache, --orders or --corrupt: leave these out.',
    ],
  ])('refuses %s in one sentence', async (_, args, sentence) => {
    const { exitCode, stdout, stderr } = await runGraph500(1, ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(`predict-graph500: ${sentence}`);
    expect(stdout).not.toContain('SCALE:');
  });

  it.each([
    ['plain words are SCALE and EDGEFACTOR', ['5', '4', '--roots', '2'], { SCALE: 5, edgefactor: 4, NBFS: 2 }],
    ['they may stand apart', ['6', '--seed', '18446744073709551615', '3'], { SCALE: 6, edgefactor: 3 }],
    ['the last of two wins', ['--scale', '9', '5', '--roots', '1'], { SCALE: 5, edgefactor: 16, num_validated: 1 }],
    ['searches need not be validated', ['5', '--roots', '2', '--skip-validation'], { NBFS: 2, num_validated: 0 }],
    ['or only the first', ['5', '--roots', '3', '--validate', '1'], { NBFS: 3, num_validated: 1 }],
  ])('takes what it is given: %s', async (_, args, told) => {
    const { exitCode, stdout } = await runGraph500(1, ...args);
    expect(exitCode).toBe(0);
    for (const [name, value] of Object.entries(told)) expect(stdout).toMatch(new RegExp(`^${name}: +${value}$`, 'm'));
  });
});
