import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/index.ts';
import { projectRoot } from '../../base/index.ts';

const agents = join(projectRoot(), 'agents');

describe('building what hosts run', () => {
  it('waits for another command that builds', async () => {
    const makefile = join(agents, 'host', 'Makefile');
    const other = execa('flock', [makefile, 'sh', '-c', 'echo builds; exec cat']);
    await once(other.stdout, 'data');
    const { ino } = statSync(makefile);
    let built = false;
    const programs = buildHostPrograms().then(() => {
      built = true;
    });
    // Who waits for a lock stands there behind an arrow.
    const waits = new RegExp(`-> FLOCK .*:${ino} `);
    while (!built && !waits.test(readFileSync('/proc/locks', 'utf8'))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(built).toBe(false);
    other.stdin.end();
    await programs;
  }, 120_000);

  it('is not stopped by a warning of the compiler', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'build-'));
    const words = ['-s', '-C', join(agents, 'host'), `BUILD=${folder}`, `${folder}/json.o`];
    const { exitCode, stderr } = await execa('make', [...words, 'CC=gcc -Wpadded -Wundef -Wtraditional']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/ warning: /);
    const graph = ['-s', '-C', join(agents, 'graph500'), `BUILD=${folder}`, `${folder}/graph500/capacity.o`];
    expect(await execa('make', [...graph, 'CFLAGS=-Wtraditional'])).toMatchObject({
      stderr: expect.stringMatching(/ warning: /),
    });
  }, 60_000);

  it('gives no warning here', async () => {
    const { stderr } = await execa('make', ['-s', '-C', agents, 'check-warnings'], { reject: false });
    expect(stderr).toBe('');
  }, 180_000);
});
