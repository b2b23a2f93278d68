import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { vi } from 'vitest';
import { projectRoot } from '../../base/paths.ts';

/** The bundler, and what it consists of on this machine. */
const BINDING = `@rolldown/binding-${process.platform}-${process.arch}-gnu`;
const BUNDLER = ['rolldown', '@oxc-project/types', '@rolldown/pluginutils', BINDING];

/** A server on the loopback interface that has the bundler's packages, for npm to fetch. */
export interface Packages {
  readonly lock: string;
  /** Answers nothing from now on; resolves once somebody asks. `release` answers what waited, and all after it. */
  stall(): { readonly asked: Promise<void>; release(): void };
  close(): void;
}

/** Packs the project's own bundler. */
export async function servePackages(): Promise<Packages> {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  let pending: ServerResponse[] | undefined;
  let onAsked = () => {};
  const server = createServer(({ url = '' }, response) => {
    if (pending === undefined) return void response.end(readFileSync(join(folder, url)));
    pending.push(response);
    onAsked();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const packages: Record<string, unknown> = { '': { name: 'tiny', dependencies: { rolldown: '*' } } };
  for (const [index, name] of BUNDLER.entries()) {
    const from = join(projectRoot(), 'node_modules', name);
    const file = `${index}.tgz`;
    await execa('tar', ['-C', from, '-I', 'gzip -1', '--transform', 's,^[.],package,', '-cf', join(folder, file), '.']);
    const { version, dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(from, 'package.json'), 'utf8'),
    );
    packages[`node_modules/${name}`] = {
      version,
      resolved: `http://127.0.0.1:${port}/${file}`,
      integrity: `sha512-${createHash('sha512')
        .update(readFileSync(join(folder, file)))
        .digest('base64')}`,
      dependencies,
      ...(optionalDependencies && { optionalDependencies: { [BINDING]: version } }),
    };
  }
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
    'tsconfig.json': JSON.stringify({ include: ['base', 'orchestrator', 'experiments', 'analysis', 'inventory'] }),
    'base/word.ts': "export const word: string = 'first';\n",
    'orchestrator/cli/main.ts': MAIN,
    'orchestrator/cli/say.ts': 'export const say = (word: string) => console.log(word);\n',
    'experiments/store/locked-process.ts': '',
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
