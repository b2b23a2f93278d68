import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../base/index.ts';

/** The compiler, and what it consists of on this machine. */
const COMPILER = ['typescript', `@typescript/typescript-${process.platform}-${process.arch}`];

/** A server on the loopback interface that has the compiler's packages, for npm to fetch. */
export interface Packages {
  readonly lock: string;
  /** Answers nothing from now on; resolves once somebody asks. `release` answers what waited, and all after it. */
  stall(): { readonly asked: Promise<void>; release(): void };
  close(): void;
}

/** Packs the project's own compiler. */
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
  const packages: Record<string, unknown> = { '': { name: 'tiny', dependencies: { typescript: '*' } } };
  for (const [index, name] of COMPILER.entries()) {
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
      ...(optionalDependencies && { optionalDependencies: { [COMPILER[1] ?? '']: version } }),
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

/** Makes a clone with the real launcher, the real compiler and a program of two rooms, which prints a word. */
export function tinyClone(clone: string, lock: string): string {
  cpSync(join(projectRoot(), 'launch.mjs'), join(clone, 'launch.mjs'));
  cpSync(join(projectRoot(), 'launch'), join(clone, 'launch'), { recursive: true });
  const files = {
    'package.json': { name: 'tiny', type: 'module', dependencies: { typescript: '*' } },
    'tsconfig.json': {
      compilerOptions: {
        ...{ module: 'nodenext', target: 'es2023', lib: ['es2023'], types: [], rootDir: '.', outDir: 'dist' },
        ...{ rewriteRelativeImportExtensions: true, skipLibCheck: true, sourceMap: true },
      },
    },
    'tsconfig.build.json': { extends: './tsconfig.json', include: ['base', 'orchestrator'] },
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(clone, name), JSON.stringify(content));
  writeFileSync(join(clone, 'package-lock.json'), lock);
  for (const room of ['base', 'orchestrator/cli']) mkdirSync(join(clone, room), { recursive: true });
  writeFileSync(join(clone, 'base/word.ts'), "export const word = 'first';\n");
  const main = "import { word } from '../../base/word.ts';\ndeclare const console: { log(text: string): void };\n";
  writeFileSync(join(clone, 'orchestrator/cli/main.ts'), `${main}console.log(word);\n`);
  return clone;
}

/** Starts the program in a clone; npm keeps what it fetches in a cache of that clone. */
export function start(clone: string) {
  return execa(process.execPath, [join(clone, 'launch.mjs')], {
    cwd: clone,
    reject: false,
    env: { npm_config_cache: join(clone, 'cache'), npm_config_fetch_retries: '0' },
  });
}

/** The processes that work in a folder. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}
