import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { programFile } from '../../../agents/host-programs.ts';
import { checkDataset } from '../../../experiments/graphs/check/check-dataset.ts';
import { generate } from '../../../experiments/graphs/generate-graph.ts';
import { tempFolder } from '../make.ts';

const SCALE = { scale: 10, edgeFactor: 16, seed: 3 };

async function writeEdges(file: string): Promise<void> {
  const words = ['--scale', SCALE.scale, '--edgefactor', SCALE.edgeFactor, '--seed', SCALE.seed, '--edges-out', file];
  await execa(programFile('graph500'), words.map(String));
}

const made = async (weights: boolean) =>
  await generate({ ...SCALE, weights, out: join(tempFolder(), 'g500-10'), writeEdges });

test('the Graph500 graph becomes a dataset of its edges, without loops, repeated edges and isolated vertices', async () => {
  const { dataset, ...counts } = await made(false);
  expect(await checkDataset(dataset.folder)).toMatchObject({
    ok: true,
    isolated: 0,
    family: 'graph500',
    weighted: false,
  });
  const file = join(tempFolder(), 'edges');
  await writeEdges(file);
  const labels = new BigUint64Array(readFileSync(file).buffer.slice(0));
  const edges = new Set<string>();
  let loops = 0;
  for (let at = 0; at < labels.length; at += 2) {
    const [a = 0n, b = 0n] = [labels[at], labels[at + 1]];
    if (a === b) loops += 1;
    else edges.add(a < b ? `${a} ${b}` : `${b} ${a}`);
  }
  expect(new Set(readFileSync(dataset.edgeFile, 'utf8').trim().split('\n'))).toEqual(edges);
  expect(counts).toEqual({ read: 2 ** 14, selfLoops: loops, repeated: 2 ** 14 - loops - edges.size });
  expect(readdirSync(dirname(dataset.folder))).toEqual(['g500-10']);
});

test('weights are uniform in (0, 1], and the same each time', async () => {
  const [first, second] = [await made(true), await made(true)];
  const text = readFileSync(first.dataset.edgeFile, 'utf8');
  expect(readFileSync(second.dataset.edgeFile, 'utf8')).toBe(text);
  expect(await checkDataset(first.dataset.folder)).toMatchObject({ ok: true, weighted: true });
  const weights = text
    .trim()
    .split('\n')
    .map((row) => Number(row.split(' ')[2]))
    .sort((a, b) => a - b);
  expect([(weights[0] ?? 0) > 0, (weights.at(-1) ?? 2) <= 1]).toEqual([true, true]);
  // Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed once in a thousand.
  const farthest = Math.max(...weights.map((weight, at) => Math.abs(weight - (at + 0.5) / weights.length)));
  expect(farthest).toBeLessThan(1.95 / Math.sqrt(weights.length));
  expect(new Set(weights).size).toBeGreaterThan(weights.length * 0.999);
});

test('a generator that fails or writes too little leaves nothing behind', async () => {
  const out = join(tempFolder(), 'g');
  const fails = generate({
    ...SCALE,
    weights: false,
    out,
    writeEdges: () => Promise.reject(new Error('no generator')),
  });
  await expect(fails).rejects.toThrow('no generator');
  const short = async (file: string): Promise<void> => writeFileSync(file, new Uint8Array(160));
  await expect(generate({ ...SCALE, weights: false, out, writeEdges: short })).rejects.toThrow(
    'wrote 10 edges instead of 16384',
  );
  const torn = async (file: string): Promise<void> => writeFileSync(file, new Uint8Array(165));
  await expect(generate({ ...SCALE, weights: false, out, writeEdges: torn })).rejects.toThrow(
    'in the middle of a record',
  );
  await expect(generate({ ...SCALE, scale: 30, weights: false, out, writeEdges: short })).rejects.toThrow(
    'choose a smaller --scale',
  );
  const poor = generate({ ...SCALE, weights: true, out, writeEdges, freeMemory: 600 * 1024 });
  await expect(poor).rejects.toThrow('The graph needs 640 KiB of memory, but this machine has 600 KiB free');
  expect(readdirSync(dirname(out))).toEqual([]);
});
