import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NEEDS, noLab, predict, predictJson, showLinks, until, useLab } from './fixture.ts';

describe.skipIf(noLab)(`commands on the hosts of a lab, whatever else the machine does, ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-commands', hosts: 3, cpu: '20%', linkMbit: 50, root: true });
  const throttle = (verb: string, ...flags: string[]) =>
    predict(['throttle', verb, '--inventory', lab.inventory(), ...flags]);
  const onHost = (host: string, command: string) =>
    predict(['exec', '--inventory', lab.inventory(), '--hosts', host, '--', 'sh', '-c', command]);

  it('restores a link by itself when its controller does not come back', async () => {
    expect((await throttle('set', '--bw', '20', '--lease', '3s')).exitCode).toBe(0);
    const free = (rows: readonly { state: string }[]): boolean => rows.every(({ state }) => state === 'free');
    const rows = await until(() => showLinks(lab.inventory()), free, 8);
    expect(rows.map(({ state, expired }) => [state, expired])).toEqual(Array(3).fill(['free', true]));
  });

  it("leaves somebody else's qdisc alone, and every other host too", async () => {
    await onHost('node02', 'tc qdisc add dev eth0 root handle 1: pfifo');
    try {
      const result = await throttle('set', '--bw', '20');
      expect(result.exitCode).toBe(3);
      expect(result.stderr.trim().split('\n')).toHaveLength(1);
      expect(result.stderr).toMatch(/foreign qdisc on node02 eth0/);
      const states = await showLinks(lab.inventory());
      expect(states.map(({ state }) => state)).toEqual(['free', 'foreign', 'free']);
    } finally {
      await onHost('node02', 'tc qdisc del dev eth0 root');
    }
  });

  it.each([
    ['--bw 0', ['--bw', '0'], 2, /a percentage from 0.001 up to 100/],
    ['--bw 150', ['--bw', '150'], 2, /a percentage from 0.001 up to 100/],
    ['a host that is not listed', ['--bw', '20', '--hosts', 'node09'], 2, /node09/],
  ])('refuses %s', async (_, flags, exitCode, message) => {
    const result = await throttle('set', ...flags);
    expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  });

  it.each([
    ['an interface that does not exist', /cidr: .*/, 'interface: eth9', 3, /eth9/],
    ['a line rate of zero', /lineRate: .*/, 'lineRate: 0mbit', 2, /lineRate|line rate/i],
    ['a misspelt key', 'lineRate:', 'lineRat:', 2, /:\d+: .*lineRat.*lineRate/s],
    ['a host that does not answer', '10.77.0.2', '10.77.9.9', 3, /node02 .*cannot be reached/],
  ])('refuses %s', async (_, from, to, exitCode, message) => {
    const inventory = lab.altered(from, to);
    const result = await predict(['throttle', 'set', '--inventory', inventory, '--bw', '20']);
    expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringMatching(message)]);
    expect((await showLinks(lab.inventory())).map(({ state }) => state)).toEqual(['free', 'free', 'free']);
  });

  it('refuses an unknown and a changed host key with the fingerprint', async () => {
    const run = (inventory: string) => predict(['exec', '--inventory', inventory, '--hosts', 'node01', '--', 'true']);
    const unknown = await run(lab.altered(/knownHosts: .*/, 'knownHosts: /dev/null'));
    expect([unknown.exitCode, unknown.stderr]).toEqual([3, expect.stringMatching(/SHA256:/)]);
    const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIAsDi4OVUrDmsxxTmzTVZwT0xkIg8lr+Ay5cBrn1tQv9';
    writeFileSync(`${lab.folder}/known`, `10.77.0.1 ssh-ed25519 ${key}\n`);
    const changed = await run(lab.altered(/knownHosts: .*/, `knownHosts: ${lab.folder}/known`));
    expect([changed.exitCode, changed.stderr]).toEqual([3, expect.stringMatching(/SHA256:.*SHA256:/s)]);
  });

  it('runs a command on all hosts and ends one that takes too long', async () => {
    const rows = await predictJson<{ host: string; exitCode: number; stdout: string; durationMs: number }[]>([
      ...['exec', '--inventory', lab.inventory(), '--json', '--', 'echo', "it's", '$HOME'],
    ]);
    expect(rows.map(({ host, stdout }) => [host, stdout])).toEqual(
      ['node01', 'node02', 'node03'].map((host) => [host, "it's $HOME\n"]),
    );
    const flags = ['--inventory', lab.inventory(), '--hosts', 'node01'];
    const slow = await predict(['exec', ...flags, '--timeout', '1', '--', 'sh', '-c', 'sleep 987 & sleep 987']);
    expect([slow.exitCode, slow.stderr]).toEqual([3, expect.stringContaining('timed out')]);
    const left = await predict(['exec', ...flags, '--', 'sh', '-c', 'cat /proc/[0-9]*/comm | grep -cx sleep || true']);
    expect(left.stdout.trim()).toBe('node01: 0');
  });
});
