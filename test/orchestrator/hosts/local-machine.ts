import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Host } from '../../../inventory/inventory-schema.ts';
import type { Executor } from '../../../orchestrator/hosts/executor.ts';
import { localShell } from './local-shell.ts';

/** This machine as several hosts, each with a root of its own for what is sent to it. */
export function machine(root: string, compilers = process.env.PATH ?? ''): (host: Host) => Executor {
  return ({ name }) => ({
    ...localShell({ prepare: `cd ${JSON.stringify(root)}; export PATH="${compilers}"` }),
    host: name,
    send: async (path, remote) => {
      mkdirSync(dirname(remote), { recursive: true });
      copyFileSync(path, remote);
    },
    fetch: async (path) => (existsSync(path) ? readFileSync(path) : null),
  });
}

/** A folder whose name a loader can read. */
export function plainFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recorder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
