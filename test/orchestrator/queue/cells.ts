import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Cell } from '../../../experiments/index.ts';

/** Queues need a redis-server on this machine. */
export const noRedis = !existsSync('/usr/bin/redis-server');

/** Cells that differ in their repetition, which is also their place in the plan. */
export function cells(count: number): Cell[] {
  return Array.from({ length: count }, (_, index) => ({
    // Hex digits that read as a number must not be taken for one.
    id: String(1_111_111_111_111_100 + index),
    workload: 'graph500',
    nodes: 4,
    ranks: 4,
    scale: 12,
    bw: 100,
    rep: index + 1,
    role: 'measure',
    roots: 4,
  }));
}

/** What private servers of this process have left. */
export function redisFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`predict-redis-${process.pid}-`));
}
