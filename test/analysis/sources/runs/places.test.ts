import { expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { cellModel } from '../../../../analysis/sources/runs/cell-model.ts';
import type { Counter } from '../../../../experiments/store/read-traces.ts';
import { cpu, MS, makeRecord, makeTrace, seen } from './make-run.ts';
import { lives, usedBy } from './model-rows.ts';

const platform = await loadPlatform('graph500');
const options = { platform, lineRateBps: 200e6, cores: 2 };

const hosts = ['a', 'b'];
const processors = hosts.map((host) =>
  cpu(host, [
    [0, 0],
    [100, 0],
  ]),
);

/** What each of four ranks' constructing uses. */
function used(...counters: readonly Counter[]): string[][] {
  const trace = makeTrace(
    [0, 1, 2, 3].map((rank) => [rank, 'construct', 0, 100]),
    [...processors, ...counters],
  );
  const { model } = cellModel(makeRecord({ hosts, ranks: 4 }), trace, options);
  return [0, 1, 2, 3].map((rank) => usedBy(model, `/Construct[rank=${rank}]`));
}

const [A, B] = [['/host[host=a]/cpu'], ['/host[host=b]/cpu']];

test('ranks fill hosts block by block, several to a host', () => {
  expect(used()).toEqual([A, A, B, B]);
});

test('a rank is placed on the host where its process was seen, the others stay in their blocks', () => {
  expect(used(seen('b', 1, 0, 100))).toEqual([A, B, B, B]);
});

test('ranks dealt out in turn are found by their processes', () => {
  const turns = [seen('a', 0, 0), seen('b', 1, 0), seen('a', 2, 0), seen('b', 3, 0)];
  expect(used(...turns)).toEqual([A, B, A, B]);
});

test('ranks that do not fill the last host leave it with fewer', () => {
  const trace = makeTrace(
    [0, 1, 2].map((rank) => [rank, 'construct', 0, 100]),
    processors,
  );
  const { model } = cellModel(makeRecord({ hosts, ranks: 3 }), trace, options);
  expect([0, 1, 2].map((rank) => usedBy(model, `/Construct[rank=${rank}]`))).toEqual([A, A, B]);
});

test("a rank's times are read on the clock of the host where it was seen", () => {
  const clocks = [
    { host: 'a', offsetNs: 0, errorNs: 1000 },
    { host: 'b', offsetNs: 30 * MS, errorNs: 1000 },
  ];
  const trace = makeTrace(
    [
      [0, 'construct', 30, 130],
      [1, 'construct', 0, 100],
    ],
    [...processors, seen('b', 0, 0, 100), seen('a', 1, 0, 100)],
  );
  const { model } = cellModel(makeRecord({ hosts, clocks }), trace, options);
  expect(lives(model)).toEqual({ '/': [0, 100], '/Construct[rank=0]': [0, 100], '/Construct[rank=1]': [0, 100] });
});
