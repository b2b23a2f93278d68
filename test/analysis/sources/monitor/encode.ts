import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** 2023-11-14T22:13:20Z: no multiple of what a double holds exactly, as real times are not. */
export const T0 = 1_700_000_000_000_000_001n;
export const MS = 1_000_000n;

export function word(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Unsigned LEB128 of whole numbers and 64-bit words. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest % 128n));
    rest /= 128n;
  } while (rest > 0n);
  return Buffer.from(bytes.map((byte, index) => (index < bytes.length - 1 ? byte + 128 : byte)));
}

export function stat(timeNs: bigint, cpus: readonly (readonly (number | bigint)[])[]): Buffer {
  return Buffer.concat([word(timeNs), varint(cpus.length), ...cpus.flat().map(varint)]);
}

export function names(timeNs: bigint, list: readonly string[]): Buffer {
  return Buffer.concat([
    word(timeNs),
    Buffer.of(0),
    varint(list.length),
    ...list.map((name) => Buffer.from(`${name}\0`, 'ascii')),
  ]);
}

export function values(timeNs: bigint, rows: readonly (readonly (number | bigint)[])[]): Buffer {
  return Buffer.concat([word(timeNs), Buffer.of(1), varint(rows.length), ...rows.flat().map(varint)]);
}

/** A folder that lasts as long as the test, of files by name (`sub/proc-stat-a`), each the sum of its records. */
export async function folderOf(files: Readonly<Record<string, readonly Buffer[]>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'monitor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, readonly Buffer[]>>): Promise<void> {
  for (const [name, records] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.concat(records));
  }
}
