import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { tempFolder } from '../experiments/make.ts';
import { privately } from './private-host.ts';

let agent = '';
beforeAll(async () => {
  ({ agent } = await buildHostPrograms());
});

const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
const home = (): string => `/var/lib/predict/agent-${digest(readFileSync(agent)).slice(0, 16)}`;
const run = (script: string) => privately(agent, script);

it('SHA-256 of the agent gives the known answers, for every length up to three blocks', async () => {
  const folder = tempFolder();
  // With a word behind its name those of all short inputs, which it makes itself: a process for each would take seconds.
  const source = [
    'int main(int c,char**v){static char d[1<<21];char h[65];(void)v;',
    'for(size_t n=0;c>1&&n<=192;n++){for(size_t i=0;i<n;i++)d[i]=(char)((i*7+n)%256);sha256_hex(d,n,h);puts(h);}',
    'if(c==1){size_t n=fread(d,1,sizeof d,stdin);sha256_hex(d,n,h);puts(h);}}',
  ].join('\n');
  writeFileSync(join(folder, 'driver.c'), `#include <stdio.h>\n#include "sha256.h"\n${source}\n`);
  const program = join(folder, 'driver');
  const host = join(projectRoot(), 'agents', 'host');
  await execa('gcc', ['-std=c11', '-I', host, '-o', program, join(folder, 'driver.c'), join(host, 'sha256.c')]);
  const of = async (input: Buffer): Promise<string> => (await execa(program, { input })).stdout;
  expect(await of(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await of(Buffer.alloc(1_000_000, 'a'))).toBe(
    'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
  );
  const inputs = Array.from({ length: 193 }, (_, length) =>
    Buffer.from(Array.from({ length }, (_, index) => (index * 7 + length) % 256)),
  );
  expect((await execa(program, ['short'])).stdout.split('\n')).toEqual(inputs.map(digest));
});

describe.skipIf(process.getuid?.() !== 0)('predict-agent install (needs root)', () => {
  it('puts itself where root alone can change it, says where, and does so once', async () => {
    const { stdout, exitCode } = await run(
      'umask 000; "$agent" install; p=$("$agent" install); cmp "$agent" "$p"; stat -c "%u:%g %a %n" /var/lib/predict "$(dirname "$p")" "$p"; stat -c %i "$p" > /run/first; "$p" install >/dev/null; stat -c %i "$p" | cmp - /run/first && ls -A /var/lib/predict "$(dirname "$p")"',
    );
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      `${home()}/predict-agent`,
      '0:0 755 /var/lib/predict',
      `0:0 755 ${home()}`,
      `0:0 755 ${home()}/predict-agent`,
      '/var/lib/predict:',
      home().replace('/var/lib/predict/', ''),
      '',
      `${home()}:`,
      'predict-agent',
    ]);
  });

  it('is itself, whatever lies at its path by then', async () => {
    const { stdout } = await run(
      'cp "$agent" /run/a; cp "$agent" /run/b; printf x >> /run/b; mv /run/a /run/c; ln -s /run/b /run/a; exec 9</run/c; /proc/self/fd/9 install',
    );
    expect(stdout).toBe(`${home()}/predict-agent`);
  });

  it.each([
    ['a program that was changed', 'printf x >> "$p"'],
    ['one that belongs to another', 'chown nobody "$p"'],
    ['one that others may write', 'chmod 777 "$p"'],
    ['a link', 'cp "$p" /run/other; ln -sf /run/other "$p"'],
    ['half of one', 'rm "$p"; head -c 1000 "$agent" > "$p"; chmod 755 "$p"'],
  ])('replaces %s', async (_, harm) => {
    const { stdout } = await run(
      `p=$("$agent" install); ${harm}; "$agent" install >/dev/null && stat -c "%F %u %a" "$p" && cmp "$p" "$agent" && echo same`,
    );
    expect(stdout).toBe('regular file 0 755\nsame');
  });

  it.each([
    [
      'a folder of a stranger',
      'install -d -o nobody /var/lib/predict',
      /\/var\/lib\/predict belongs to user 65534, not to root; /,
    ],
    [
      'a folder that others may write',
      'install -d -m 777 /var/lib/predict',
      /\/var\/lib\/predict is writable by others.*0777.*chmod/,
    ],
    ['a parent that a group may write', 'chmod 775 /var/lib', /\/var\/lib is writable by others/],
    [
      'a link',
      'mkdir /run/elsewhere; ln -s /run/elsewhere /var/lib/predict',
      /\/var\/lib\/predict is not a folder, or is a symlink/,
    ],
    ['a file', ': > /var/lib/predict', /\/var\/lib\/predict is not a folder/],
  ])('refuses %s on the way and puts nothing there', async (_, harm, why) => {
    const { stderr, stdout, exitCode } = await run(
      `${harm}\n"$agent" install; code=$?; find /run /var/lib -name '*agent*'; exit $code`,
    );
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(why);
  });

  it('refuses a user without privileges, and words after it', async () => {
    const user = await run('cp "$agent" /run/a; setpriv --reuid nobody --regid nogroup --clear-groups /run/a install');
    expect([user.exitCode, user.stderr]).toEqual([1, expect.stringContaining('this is for root')]);
    expect((await run('"$agent" install /etc/passwd')).exitCode).toBe(2);
    expect((await run('"$agent" install --to /etc')).exitCode).toBe(2);
  });
});
