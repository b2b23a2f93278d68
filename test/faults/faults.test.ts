import { appendFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NEEDS, noLab } from '../lab/fixture.ts';
import { isLong, times } from '../times.ts';
import { fleetBout } from './fleet/bout.ts';
import { prepareGround, QUIET_CELLS } from './ground.ts';
import type { Ground } from './inject.ts';
import { storeProblems } from './invariants.ts';
import { Site } from './site.ts';
import { runSuite } from './suite.ts';
import { bad, tellBad } from './table.ts';

/** `npm run test:faults` injects a thousand. */
const INJECTIONS = times(3);

describe.skipIf(noLab)(`what is judged, ${NEEDS}`, () => {
  const site = new Site('test-judge', 2);
  let ground: Ground;
  let remove = (): void => undefined;
  beforeAll(async () => {
    await site.up();
    ({ ground, remove } = await prepareGround(site));
  });
  afterAll(async () => {
    remove();
    await site.down();
  });

  it.each([
    ['a root qdisc', ['tc', 'qdisc', 'add', 'dev', 'eth0', 'root', 'handle', '7077:', 'htb']],
    ['an ingress qdisc', ['tc', 'qdisc', 'add', 'dev', 'eth0', 'ingress']],
    ['an ifb of ours', ['ip', 'link', 'add', 'predict99', 'type', 'ifb']],
  ])('sees %s that was left on a host', async (_, command) => {
    for (const host of site.hosts) expect(await site.shapedLinks(host)).toBe('');
    const [host] = site.hosts;
    if (!host) throw new Error('a lab without hosts');
    await site.inNetwork(host.first, command);
    expect(await site.shapedLinks(host)).toContain(host.name);
    await site.inNetwork(
      host.first,
      command.map((word) => (word === 'add' ? 'del' : word)),
    );
    expect(await site.shapedLinks(host)).toBe('');
  });

  it('sees a process that was left on a host', async () => {
    const [host] = site.hosts;
    if (!host) throw new Error('a lab without hosts');
    expect(site.processes(host)).toEqual([]);
    const groups = site.groupRoots.map((root) => join(root, host.name));
    const enter = 'for group; do echo $$ > "$group/cgroup.procs"; done; echo in; exec sleep 60';
    const stray = execa('sh', ['-c', enter, 'sh', ...groups], { reject: false });
    await new Promise((resolve) => stray.stdout.once('data', resolve));
    await vi.waitFor(() => expect(site.processes(host)).toHaveLength(1));
    stray.kill('SIGKILL');
    await stray;
    expect(site.processes(host)).toEqual([]);
  });

  it.each<[string, RegExp, (cells: string, ids: readonly string[]) => void]>([
    ['a cell without a record', /has no record/, (cells, [id = '']) => rmSync(join(cells, id, 'record.json'))],
    [
      'a file that changed',
      /not what its record says/,
      (cells, [id = '']) => appendFileSync(join(cells, id, 'stdout.txt'), '\n'),
    ],
    ['a folder that is no cell', /no planned cell/, (cells) => mkdirSync(join(cells, 'ffffffffffffffff'))],
    [
      'a cell in the place of another',
      /its record is of/,
      (cells, [one = '', other = '']) => {
        rmSync(join(cells, other), { recursive: true });
        cpSync(join(cells, one), join(cells, other), { recursive: true });
      },
    ],
    [
      'a cell that is hidden',
      /has no record/,
      (cells, [id = '']) => renameSync(join(cells, id), join(cells, `.${id}`)),
    ],
  ])('sees %s in the store', async (name, problem, damage) => {
    const whole = join(ground.folder, 'quiet');
    expect(await storeProblems(whole, QUIET_CELLS)).toEqual([]);
    const copy = join(ground.folder, name.replaceAll(' ', '-'));
    cpSync(whole, copy, { recursive: true });
    damage(join(copy, 'cells'), readdirSync(join(copy, 'cells')));
    expect((await storeProblems(copy, QUIET_CELLS)).map(({ text }) => text).join('\n')).toMatch(problem);
  });

  it('is good of a fleet whose parties are struck: each cell is stored once, and all of them end', async () => {
    const asked = { seed: 2, index: 5, faults: INJECTIONS, cells: QUIET_CELLS };
    const { problems, blows } = await fleetBout(asked, site, ground);
    expect(problems.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([]);
    expect(blows.length).toBeGreaterThan(0);
  });
});

describe.skipIf(noLab)(`a sweep under faults, ${NEEDS}`, () => {
  it(`keeps every cell and every link through ${INJECTIONS} injections, and always ends`, async () => {
    const indices = Array.from({ length: INJECTIONS }, (_, index) => index);
    const verdicts = await runSuite({
      ...{
        seed: 1,
        indices,
        jobs: isLong ? 4 : 2,
        quick: true,
        name: 'test-faults',
        signal: new AbortController().signal,
      },
    });
    expect(verdicts.filter(bad).map(tellBad).join('\n')).toBe('');
    expect(verdicts).toHaveLength(INJECTIONS);
  });
});
