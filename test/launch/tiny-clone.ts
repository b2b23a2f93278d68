import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { vi } from 'vitest';
import { projectRoot } from '../../base/paths.ts';

/** A server on the loopback interface that has a package for npm to fetch: one that stands for the project's own bundler. */
export interface Packages {
  readonly lock: string;
  /** Answers nothing from now on; resolves once somebody asks. `release` answers what waited, and all after it. */
  stall(): { readonly asked: Promise<void>; release(): void };
  close(): void;
}

/** Packs a bundler that is the project's own: with a copy of all that it consists of, npm would be busy with bytes. */
export async function servePackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  const [name, version] = ['rolldown', '1.0.0'];
  const real = createRequire(join(projectRoot(), 'package.json')).resolve(name);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module', main: 'index.mjs' }));
  writeFileSync(join(folder, 'index.mjs'), `export * from ${JSON.stringify(pathToFileURL(real).href)};\n`);
  const words = ['-C', folder, '--transform', 's,^,package/,', '-czf', join(folder, 'bundler.tgz')];
  await execa('tar', [...words, 'package.json', 'index.mjs']);
  const bytes = readFileSync(join(folder, 'bundler.tgz'));
  let pending: ServerResponse[] | undefined;
  let onAsked = () => {};
  const server = createServer((_, response) => {
    if (pending === undefined) return void response.end(bytes);
    pending.push(response);
    onAsked();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const packages = {
    '': { name: 'tiny', dependencies: { rolldown: '*' } },
    'node_modules/rolldown': {
      version,
      resolved: `http://127.0.0.1:${port}/bundler.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    },
  };
  return {
    lock: JSON.stringify({ name: 'tiny', lockfileVersion: 3, requires: true, packages }),
    stall() {
      const waiting: ServerResponse[] = [];
      pending = waiting;
      const asked = new Promise<void>((resolve) => {
        onAsked = resolve;
      });
      return {
        asked,
        release() {
          pending = undefined;
          for (const response of waiting) response.destroy();
        },
      };
    },
    close: () => void server.close().closeAllConnections(),
  };
}

/** With `--later` it says so, and reads the rest of itself when its input ends. */
const MAIN = `import { word } from '../../base/word.ts';
const speak = async (): Promise<void> => (await import('./say.ts')).say(word);
if (process.argv.includes('--later')) {
  process.stdin.on('end', speak).resume();
  console.error('waits');
} else void speak();
`;

/** Makes a clone with the real launcher, the real bundler and a program of two rooms, which prints a word. */
export function tinyClone(clone: string, lock: string): string {
  for (const name of ['predict', 'launch.cjs', 'launch']) {
    cpSync(join(projectRoot(), name), join(clone, name), { recursive: true });
  }
  const files = {
    'package.json': JSON.stringify({ name: 'tiny', type: 'module', dependencies: { rolldown: '*' } }),
    'package-lock.json': lock,
    'tsconfig.json': JSON.stringify({
      include: ['base', 'orchestrator', 'experiments', 'analysis', 'inventory', 'report'],
    }),
    'base/word.ts': "export const word: string = 'first';\n",
    'orchestrator/cli/main.ts': MAIN,
    'orchestrator/cli/say.ts': 'export const say = (word: string) => console.log(word);\n',
    'experiments/store/locked-process.ts': '',
    'report/planner/planner.ts': '',
    'analysis/profiles/graph/ladybug-process.ts': '',
    'inventory/lab/end-when-gone.ts': '',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), content);
  }
  return clone;
}

/** Starts the program in a clone; npm keeps what it fetches in a cache of that clone. */
export function start(clone: string, words: readonly string[] = []) {
  return execa(process.execPath, [join(clone, 'launch.cjs'), ...words], {
    cwd: clone,
    reject: false,
    env: { npm_config_cache: join(clone, 'cache'), npm_config_fetch_retries: '0' },
  });
}

/** The processes that work in a folder. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && of(() => readlinkSync(`/proc/${id}/cwd`)).startsWith(folder),
  );
}

/** The process that bundles a clone, once there is one. */
export function bundlerIn(clone: string): Promise<number> {
  const program = (id: string) => of(() => readFileSync(`/proc/${id}/cmdline`, 'utf8')).split('\0')[1];
  const find = () => processesIn(clone).find((id) => program(id)?.endsWith('bundle.mjs'));
  return vi.waitUntil(() => Number(find()), { timeout: 20_000, interval: 1 });
}

/** What is read of a process; nothing of one that is gone. */
function of(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
