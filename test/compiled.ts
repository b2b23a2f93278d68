import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../base/paths.ts';

/** What compilers of tests made, by what they made it from: the same is never compiled twice. */
const FOLDER = join(projectRoot(), 'dist', 'build', 'tests');

interface Asked {
  /** Flags and sources, as they stand on the compiler's command line. */
  readonly words: readonly string[];
  /** All files that it reads. */
  readonly sources: readonly string[];
}

/** Where a program stands that a compiler makes, which is compiled where it was not yet: from these sources by this compiler. */
export function compiled(name: string, compiler: string, { words, sources }: Asked): string {
  const digest = createHash('sha256').update(JSON.stringify([compiler, words, identityOf(compiler)]));
  for (const source of sources) digest.update(readFileSync(source));
  const folder = join(FOLDER, digest.digest('hex').slice(0, 24));
  const program = join(folder, name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // Others may be making it too: it is renamed into place.
  const fresh = `${program}.${process.pid}`;
  execFileSync(compiler, [...words, '-o', fresh], { cwd: folder });
  renameSync(fresh, program);
  return program;
}

/** A stage of a dataflow job, which works for so long on a record. */
export function compiledStage(): string {
  const source = join(projectRoot(), 'test/fixtures/dag/stage.c');
  return compiled('stage', 'cc', { words: ['-O2', source], sources: [source] });
}

/** A compiler of another version is another file. */
function identityOf(compiler: string): string {
  const found = (process.env.PATH ?? '').split(':').map((folder) => join(folder, compiler));
  const path = found.find((each) => existsSync(each)) ?? compiler;
  if (!existsSync(path)) return '';
  const { size, mtimeMs } = statSync(path);
  return `${realpathSync(path)} ${size} ${mtimeMs}`;
}
