import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import type { Cell } from '../../experiments/records.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { type CellOutput, writeCell } from '../../experiments/store/write-cell.ts';
import { campaignPlan, goodRecord } from '../experiments/make.ts';

/** A campaign that models can be fitted to, with every file that a cell can have, each of them unlike that of any other cell. */
export async function measuredCampaign(dir: string): Promise<readonly Cell[]> {
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '1,4', scales: '10', bw: '50' }));
  for (const [index, cell] of cells.entries()) await writeCell(dir, goodRecord(cell, timesOf(cell)), outputOf(index));
  return cells;
}

function timesOf({ nodes, scale, bw, rep }: Cell): number[] {
  const mean = (2 ** (scale - 9) / nodes) * (1 + 20 / bw) + rep / 50;
  return [mean, mean * 1.02];
}

/** One host with one worker, which is in its search for a second of each two. */
function outputOf(index: number): CellOutput {
  const start = (index + 1) * 1e12;
  const at = (second: number): number => start + second * 1e9;
  const samples = Array.from({ length: 9 }, (_, k) => `${at(k / 2)}\tnet.tx_bytes\teth0\t${k * 1000 + index}\n`).join(
    '',
  );
  const spans = [0, 1].map((root) => `0,bfs,${at(2 * root)},${at(2 * root + 1)},${root}\n`).join('');
  return {
    stdout: `out of ${index}\n`,
    stderr: `err of ${index}\n`,
    samples: [{ host: 'node0', text: samples }],
    phases: `worker,phase,start_ns,end_ns,root\n${spans}`,
    messages: `worker,kind,t_ns,peer,bytes,id\n0,send,${at(0.5)},1,8,${index}\n`,
  };
}

/** Every file below a folder with its content, by its path. */
export function contents(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, 'base64')]));
}

/** One fault of a campaign folder. */
export interface Fault {
  readonly name: string;
  /** The one of `paths` that it happens to, as a share of their number. */
  readonly where: number;
  readonly inflict: (path: string, other: string) => void;
}

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** What can happen to a file; `other` is the file of that name in another cell. */
export const fileFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ where: share, at: share, mask: fc.integer({ min: 1, max: 255 }) }).map(({ where, at, mask }) => ({
    name: `byte at ${at} changed by ${mask}`,
    where,
    inflict: (path: string) => {
      const data = readFileSync(path);
      const index = Math.floor(at * data.length);
      data[index] = (data[index] ?? 0) ^ mask;
      writeFileSync(path, data);
    },
  })),
  fc.record({ where: share, left: share }).map(({ where, left }) => ({
    name: `cut to ${left}`,
    where,
    inflict: (path: string) => {
      const data = readFileSync(path);
      writeFileSync(path, data.subarray(0, Math.floor(left * data.length)));
    },
  })),
  fc
    .record({
      where: share,
      kind: fc.constantFrom(...(['deleted', 'swapped', 'copied', 'FIFO', 'folder', 'link'] as const)),
    })
    .map(({ where, kind }) => ({ name: kind, where, inflict: CHANGES[kind] })),
);

/** What can happen to the folder of a cell. */
export const folderFaults: fc.Arbitrary<Fault> = fc
  .record({
    where: share,
    kind: fc.constantFrom(...(['swapped', 'empty', 'file', 'FIFO', 'link', 'ID.bak', 'ID-copy', 'ffff'] as const)),
  })
  .map(({ where, kind }) => ({ name: kind, where, inflict: FOLDER_CHANGES[kind] }));

function swap(path: string, other: string): void {
  renameSync(path, `${dirname(path)}/.kept`);
  renameSync(other, path);
  renameSync(`${dirname(path)}/.kept`, other);
}

function fifo(path: string): void {
  rmSync(path, { recursive: true });
  execFileSync('mkfifo', [path]);
}

function link(path: string): void {
  const elsewhere = join(dirname(path), '.elsewhere');
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
}

const CHANGES = {
  deleted: (path: string) => rmSync(path),
  swapped: swap,
  copied: (path: string) => cpSync(path, `${path}.bak`),
  FIFO: fifo,
  folder: (path: string) => {
    rmSync(path);
    mkdirSync(path);
  },
  link,
};

const FOLDER_CHANGES = {
  swapped: swap,
  empty: (path: string) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  },
  file: (path: string) => {
    rmSync(path, { recursive: true });
    writeFileSync(path, 'x');
  },
  FIFO: fifo,
  link,
  'ID.bak': (path: string) => cpSync(path, `${path}.bak`, { recursive: true }),
  'ID-copy': (path: string) => cpSync(path, `${path}-copy`, { recursive: true }),
  ffff: (path: string) => cpSync(path, join(dirname(path), 'f'.repeat(16)), { recursive: true }),
};
