import { describe, expect, it } from 'vitest';
import { readState } from '../../throttle/state.ts';
import { type Ended, useEmulatedHost } from './emulated-host.ts';

const root = process.getuid?.() === 0;

/** Asks until it holds; throws after so many seconds. */
async function until(holds: () => boolean | Promise<boolean>, seconds = 5): Promise<void> {
  for (const end = Date.now() + seconds * 1000; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not so within ${seconds} s: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.skipIf(!root)('predict-agent link (needs root for its namespaces)', () => {
  const host = useEmulatedHost();
  let devices = 0;

  /** A new interface d1, d2, ... that is up, with an address in 10.N.0.0/24. */
  const device = async (): Promise<string> => {
    devices += 1;
    const [name, n] = [`d${devices}`, devices];
    const made = await host.sh(
      `ip link add ${name} type veth peer name q${n} && ip addr add 10.${n}.0.1/24 dev ${name} && ip link set ${name} up && ip link set q${n} up`,
    );
    expect(made.stderr).toBe('');
    return name;
  };
  const level = (mbit: number, leaseS: number): string[] => [
    ...['--rate', `${mbit}000000`, '--burst', '18168', '--lease', `${leaseS}`, '--owner', "ann's sweep"],
  ];
  const set = (name: string, mbit = 20, leaseS = 30) => host.link('set', '--interface', name, ...level(mbit, leaseS));
  const show = async (name: string) => stateOf(await host.link('show', '--interface', name));
  const stateOf = (ended: Ended) => {
    expect([ended.exitCode, ended.stderr]).toEqual([0, '']);
    return readState('host', ended.stdout);
  };
  /** What tc and ip say, without the agent: nothing of ours. */
  const isFree = async (name: string): Promise<boolean> => {
    const { stdout } = await host.sh(
      `tc qdisc show dev ${name}; tc filter show dev ${name} parent ffff: 2>&1; ip -o link | grep -c " predict$(cat /sys/class/net/${name}/ifindex):"`,
    );
    return !/7077:|ingress|mirred/.test(stdout) && stdout.endsWith('\n0');
  };
  const kill = (...ids: readonly (number | undefined)[]): void => host.signal('SIGKILL', ...ids);
  const clear = (name: string) => host.link('clear', '--interface', name);
  /** Does something while `tc` is a shell script, in which $real is the program itself. */
  const withTc = async <T>(script: string, task: () => Promise<T>): Promise<T> => {
    const places = 'for tc in /sbin/tc /usr/sbin/tc; do [ -h $tc ] ||';
    const made = await host.sh(
      `mkdir -p /run/tc && cp $(readlink -f /sbin/tc) /run/tc/real && cat > /run/tc/tc <<'TC' && chmod 755 /run/tc/tc && ${places} mount --bind /run/tc/tc $tc; done\n#!/bin/sh\nreal=/run/tc/real\n${script}\nTC`,
    );
    expect(made.stderr).toBe('');
    try {
      return await task();
    } finally {
      await host.sh(`${places} umount $tc; done`);
    }
  };

  it('puts the documented tree on both directions, ssh exempted, and takes exactly it away', async () => {
    const name = await device();
    const before = await host.sh(`tc qdisc show dev ${name}; ls /run/predict 2>&1`);
    const where = ['--network', '10.1.0.0/24'];
    const state = stateOf(await host.link('set', ...where, ...level(20, 30), '--ssh-port', '2222'));
    expect(state).toMatchObject({ interface: name, state: 'throttled', rateBps: 20e6, expired: false, keeper: true });
    expect([state.owner, state.leaseEndsInS]).toEqual(["ann's sweep", expect.closeTo(30, -1)]);
    const { stdout: index } = await host.sh(`cat /sys/class/net/${name}/ifindex`);
    for (const [dev, side] of [
      [name, 16],
      [`predict${index}`, 12],
    ]) {
      const { stdout: classes } = await host.sh(`tc class show dev ${dev}`);
      expect(classes).toMatch(/htb 7077:1 root prio 0 rate 100Gbit/);
      expect(classes).toMatch(/htb 7077:2 root rate 20Mbit ceil 20Mbit burst 181\d\db cburst/);
      expect(classes.match(/htb 7077:[1-4][\da-f] parent 7077:2 leaf /g)).toHaveLength(64);
      const { stdout: qdiscs } = await host.sh(`tc qdisc show dev ${dev}`);
      expect(qdiscs).toMatch(/htb 7077: root.* default 0x1/);
      expect(qdiscs.match(/tbf \S+ parent 7077:[1-4][\da-f] /g)).toHaveLength(64);
      const { stdout: filters } = await host.sh(`tc filter show dev ${dev} parent 7077:`);
      // 2222 is 08ae; source ports stand in the upper half of the word behind the IP header.
      expect(filters).toMatch(
        /flowid 7077:1[^\n]*\n {2}match 00060000\/00ff0000 at 8\n {2}match 08ae0000\/ffff0000 at 20/,
      );
      expect(filters).toMatch(
        /flowid 7077:1[^\n]*\n {2}match 00060000\/00ff0000 at 8\n {2}match 000008ae\/0000ffff at 20/,
      );
      expect(filters).toMatch(new RegExp(`flowid 7077:2[^\\n]*\\n {2}match 0a010000/ffffff00 at ${side}`));
      // The ports stand behind the 40 bytes of IPv6's header, as does the type of ICMPv6.
      for (const [next, match] of [
        ['06', '08ae0000/ffff0000'],
        ['06', '000008ae/0000ffff'],
        ['3a', '84000000/fc000000'],
        ['3a', '88000000/fc000000'],
      ]) {
        expect(filters).toMatch(
          new RegExp(`ipv6 .*flowid 7077:1[^\\n]*\\n {2}match 0000${next}00/0000ff00 at 4\\n {2}match ${match} at 40`),
        );
      }
      expect(filters).toMatch(/ipv6 .*flowid 7077:2[^\n]*\n {2}match 00000000\/00000000 at 0/);
    }
    expect((await host.sh(`tc filter show dev ${name} parent ffff:`)).stdout).toContain(
      `Redirect to device predict${index})`,
    );
    stateOf(await clear(name));
    expect(await isFree(name)).toBe(true);
    await until(() => host.keepers(name).length === 0);
    const after = await host.sh(`tc qdisc show dev ${name}; ls /run/predict`);
    expect([before.stdout.split('\n')[0], after.stdout]).toEqual([
      after.stdout.split('\n')[0],
      before.stdout.split('\n')[0],
    ]);
  });

  it('counts what passes each class, IPv6 too, and what other interfaces moved, each byte once', async () => {
    const name = await device();
    const { stdout: index } = await host.sh(
      [
        `ip -6 addr add fd00:${devices}::1/64 dev ${name} nodad`,
        `ip neigh add 10.${devices}.0.2 lladdr 02:00:00:00:00:01 dev ${name}`,
        `ip neigh add 10.200.0.2 lladdr 02:00:00:00:00:01 dev ${name}`,
        `ip route add 10.200.0.0/24 dev ${name}`,
        `ip -6 neigh add fd00:${devices}::2 lladdr 02:00:00:00:00:01 dev ${name}`,
        'ip link add br0 type bridge; ip link add v0 type veth peer name v1; ip link set v0 master br0',
        'ip netns add far; ip link add apart type veth peer name far netns far',
        `cat /sys/class/net/${name}/ifindex`,
      ].join(' 2>&1; '),
    );
    const send = (bytes: number, to: string) =>
      host.sh(`bash -c 'exec 3>/dev/udp/${to}/9; dd if=/dev/zero bs=1000 count=${bytes / 1000} >&3'`);
    try {
      await host.link('set', '--network', `10.${devices}.0.0/24`, ...level(20, 30));
      const before = await show(name);
      await send(40_000, `10.${devices}.0.2`);
      await send(30_000, `fd00:${devices}::2`);
      await send(20_000, '10.200.0.2');
      const after = await show(name);
      const grown = [after.classes?.out.bytes, after.freeBytes?.out, after.interfaceBytes.out].map(
        (bytes, at) =>
          (bytes ?? 0) - ([before.classes?.out.bytes, before.freeBytes?.out, before.interfaceBytes.out][at] ?? 0),
      );
      expect(grown[0]).toBeGreaterThan(70_000);
      expect(grown[1]).toBeGreaterThan(20_000);
      expect(grown[2]).toBeGreaterThan(90_000);
      expect(grown[2]).toBeLessThan(100_000);
      expect([...after.otherBytes.keys()]).toContain('apart');
      for (const again of [name, 'lo', 'br0', 'v0', 'v1', `predict${index.trim()}`]) {
        expect([...after.otherBytes.keys()]).not.toContain(again);
      }
      expect([...after.belowBytes.keys()]).toEqual([]);
      expect([...(await show('br0')).belowBytes.keys()]).toEqual(['v0']);
    } finally {
      await clear(name);
      await host.sh('ip link del br0; ip link del v0; ip netns del far');
    }
  });

  it('matches all IPv4 where only an interface is known', async () => {
    const name = await device();
    await set(name);
    expect((await host.sh(`tc filter show dev ${name} parent 7077:`)).stdout).toMatch(
      /flowid 7077:2[^\n]*\n {2}match 00000000\/00000000 at 0/,
    );
    await clear(name);
  });

  it('lets flows take turns: each by its addresses and ports, whose bytes the class counts as one', async () => {
    const name = await device();
    // Its reports of multicast groups come when they will, and would be counted too.
    await host.sh(`echo 1 > /proc/sys/net/ipv6/conf/${name}/disable_ipv6`);
    await set(name);
    const to = `10.${devices}.0.2`;
    // Nobody answers for that address; what leaves the queues is what counts.
    await host.sh(`ip neigh add ${to} lladdr 02:00:00:00:00:01 dev ${name}`);
    await host.sh(
      `bash -c 'for i in 1 2; do for port in $(seq 5000 5039); do echo message > /dev/udp/${to}/$port; done; done'`,
    );
    const { stdout } = await host.sh(`tc -s class show dev ${name}`);
    const bytesOf = (id: string) => Number(new RegExp(`htb ${id} .*\\n Sent (\\d+)`).exec(stdout)?.[1]);
    const flows = Array.from({ length: 64 }, (_, flow) => bytesOf(`7077:${(0x10 + flow).toString(16)}`));
    expect(flows.filter((bytes) => bytes > 0).length).toBeGreaterThan(20);
    expect(flows.reduce((sum, bytes) => sum + bytes)).toBe(bytesOf('7077:2'));
    expect(bytesOf('7077:2')).toBe(80 * (14 + 20 + 8 + 'message\n'.length));
    await clear(name);
  });

  it.each([
    // 16 packets of 1532 bytes; 5 ms of 100 Mbit/s
    ['5ms', 20, 16 * 1532],
    ['5ms', 100, 62_500],
    ['20ms', 20, 50_000],
  ])('holds what a queue of %s passes at %i Mbit/s: %i bytes', async (queue, mbit, bytes) => {
    const name = await device();
    stateOf(await host.link('set', '--interface', name, ...level(mbit, 30), '--queue', queue));
    expect((await host.sh(`tc -r -d qdisc show dev ${name}`)).stdout).toMatch(
      new RegExp(`tbf \\S+ parent 7077:2 rate 1Tbit burst .* limit ${bytes}b`),
    );
    await clear(name);
  });

  it('changes a level without a moment of freedom: counters go on, and the same keepers', async () => {
    const name = await device();
    await set(name, 20);
    await host.sh(`ping -c 3 -i 0.01 -w 1 10.${devices}.0.2`);
    const before = await show(name);
    const keepers = host.keepers(name);
    const monitor = host.sh(`timeout 1 tc monitor`);
    await until(() => host.processes().some(({ words }) => words[1] === 'monitor'));
    const after = stateOf(await set(name, 50, 60));
    expect([after.rateBps, after.leaseEndsInS]).toEqual([50e6, expect.closeTo(60, 0)]);
    expect((after.classes?.out.bytes ?? 0) >= (before.classes?.out.bytes ?? 1)).toBe(true);
    expect(host.keepers(name)).toEqual(keepers);
    expect((await monitor).stdout).not.toMatch(/deleted/);
    await clear(name);
  });

  it('adds a latency to what is sent where the kernel has netem, in place; else it says so and changes nothing', async () => {
    const name = await device();
    await set(name, 20);
    const before = await show(name);
    const late = (ms: string, mbit = 20) => host.link('set', '--interface', name, ...level(mbit, 30), '--latency', ms);
    const tried = await host.sh('unshare -n tc qdisc add dev lo root netem delay 1ms');
    const facts = await host.sh(`${host.agent()} facts`);
    expect(facts.stdout).toContain(`"netem":${tried.exitCode === 0}`);
    expect(stateOf(await host.link('show', '--interface', name, '--netem')).netem).toBe(tried.exitCode === 0);
    expect(before.netem).toBeUndefined();
    if (tried.exitCode !== 0) {
      const refused = await late('2');
      expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([
        ...[26, '', 'predict-agent link: latency cannot be added here: the kernel has no netem (module sch_netem)'],
      ]);
      expect(await show(name)).toMatchObject({ state: 'throttled', rateBps: 20e6, latencyMs: 0, owner: before.owner });
    } else {
      const monitor = host.sh(`timeout 3 tc monitor`);
      await until(() => host.processes().some(({ words }) => words[1] === 'monitor'));
      expect(stateOf(await late('2')).latencyMs).toBe(2);
      const { stdout } = await host.sh(`tc qdisc show dev ${name}`);
      expect(stdout.match(/netem \S+ parent \S+ limit \d+ delay 2ms/g)).toHaveLength(64);
      expect(stateOf(await late('0.5')).latencyMs).toBeCloseTo(0.5, 2);
      expect(stateOf(await late('10', 800))).toMatchObject({ latencyMs: 10, rateBps: 800e6 });
      expect(stateOf(await set(name, 20))).toMatchObject({ latencyMs: 0, rateBps: 20e6 });
      expect((await monitor).stdout).not.toMatch(/deleted qdisc htb|deleted class/);
    }
    await clear(name);
    expect(await isFree(name)).toBe(true);
  });

  it.each([
    [['--latency', '1001'], '--latency must be a number from 0 to 1000, not "1001"'],
    [['--latency', '2ms'], '--latency must be a number from 0 to 1000, not "2ms"'],
    [['--latency', '2', '--queue', '5ms'], '--latency needs the queue fair'],
  ])('takes no %j', async (words, sentence) => {
    const refused = await host.link('set', '--interface', 'lo', ...level(20, 30), ...words);
    expect([refused.exitCode, refused.stderr]).toEqual([2, `predict-agent link: ${sentence}`]);
  });

  it.each([
    ['a tbf', 'root handle 8001: tbf rate 1mbit burst 10kb latency 50ms'],
    ['an htb that happens to be 7077:', 'root handle 7077: htb default 1'],
    ['an ingress', 'ingress'],
    ['a clsact', 'clsact'],
  ])("refuses somebody else's qdisc and leaves it: %s", async (_, qdisc) => {
    const name = await device();
    await host.sh(`tc qdisc add dev ${name} ${qdisc}`);
    const onLink = async (): Promise<string> =>
      (await host.sh(`tc qdisc show dev ${name}`)).stdout.replace(/direct_packets_stat \d+/, '');
    const before = await onLink();
    const refused = await set(name);
    expect([refused.exitCode, refused.stdout]).toEqual([21, '']);
    expect(refused.stderr).toMatch(
      /^predict-agent link: the interface d\d+ has a foreign qdisc \(qdisc .*\); it was left unchanged$/,
    );
    expect((await show(name)).state).toBe('foreign');
    expect(stateOf(await clear(name)).state).toBe('foreign');
    expect(await onLink()).toBe(before);
    expect((await host.sh(`ls /run/predict`)).stdout).not.toContain(`throttle-${name}\n`);
  });

  it('takes its own parts away under a foreign root that came later, which stays', async () => {
    const name = await device();
    await set(name);
    await host.sh(`tc qdisc replace dev ${name} root handle 9: pfifo limit 9`);
    expect((await show(name)).state).toBe('foreign');
    expect((await set(name)).exitCode).toBe(21);
    expect((await host.sh(`tc qdisc show dev ${name}; ip -o link | grep -c predict`)).stdout).toMatch(
      /^qdisc pfifo 9: root.*\n0$/,
    );
  });

  it('mends a tree that somebody took apart', async () => {
    const name = await device();
    await set(name);
    await host.sh(`ip link del predict$(cat /sys/class/net/${name}/ifindex)`);
    expect(stateOf(await set(name, 30)).classes?.in.rateBps).toBe(30e6);
    await host.sh(`ip link del predict$(cat /sys/class/net/${name}/ifindex)`);
    await clear(name);
    expect(await isFree(name)).toBe(true);
  });

  it('undoes everything when a step fails, and says so', async () => {
    const name = await device();
    const refused = await withTc(
      'case "$*" in *-batch*) sed /mirred/s/redirect/bad/ | $real "$@";; *) exec $real "$@";; esac',
      () => set(name),
    );
    expect([refused.exitCode, refused.stderr]).toEqual([
      22,
      expect.stringMatching(/tc refused the throttle on d\d+ \(.+\); the link is restored/),
    ]);
    expect(await isFree(name)).toBe(true);
    await until(() => host.keepers(name).length === 0);
  });

  it('takes off what it threw on a link that its keepers had restored while it hung', async () => {
    const name = await device();
    // Hangs between the tree of the ifb and that of the interface, until a keeper went ahead without the lock.
    const script = [
      `case "$*" in *-batch*) ;; *) exec $real "$@";; esac`,
      `cat > /run/tc/all; sed '/dev ${name} root/,$d' /run/tc/all > /run/tc/first; sed -n '/dev ${name} root/,$p' /run/tc/all > /run/tc/rest`,
      `$real -batch /run/tc/first || exit; until grep -qs "link is restored" /run/predict/throttle-${name}/release.log; do sleep 0.05; done`,
      `exec $real -batch /run/tc/rest`,
    ].join('\n');
    const refused = await withTc(script, () => set(name, 20, 1));
    expect([refused.exitCode, refused.stderr]).toEqual([
      22,
      expect.stringMatching(/tc refused the throttle on d\d+ \(.+\); the link is restored/),
    ]);
    expect(await isFree(name)).toBe(true);
    await until(() => host.keepers(name).length === 0);
  });

  it('is no success when the lease has run out before the tree is there', async () => {
    const name = await device();
    const script = `case "$*" in *-batch*) sleep 1.5;; esac; exec $real "$@"`;
    const refused = await withTc(script, () => set(name, 20, 1));
    expect([refused.exitCode, refused.stderr]).toEqual([
      22,
      expect.stringMatching(/the lease ran out before there was a throttle on d\d+ \(.+\); the link is restored/),
    ]);
    expect(await isFree(name)).toBe(true);
    await until(() => host.keepers(name).length === 0);
  });

  it.each([
    ['another SSH port', ['--ssh-port', '2222'], /match 08ae0000\/ffff0000 at 20/],
    ['another network', ['--network', '10.99.0.0/16'], /match 0a630000\/ffff0000 at 16/],
  ])('throttles what it is told to when a link that it throttled has %s', async (_, other, filter) => {
    const name = await device();
    await set(name);
    expect(stateOf(await host.link('set', '--interface', name, ...level(30, 30), ...other)).rateBps).toBe(30e6);
    expect((await host.sh(`tc filter show dev ${name} parent 7077:`)).stdout).toMatch(filter);
    expect(stateOf(await set(name)).rateBps).toBe(20e6);
    expect((await host.sh(`tc filter show dev ${name} parent 7077:`)).stdout).not.toMatch(filter);
    await clear(name);
  });

  it('mends a tree whose redirect is missing', async () => {
    const name = await device();
    await set(name);
    await host.sh(`tc filter del dev ${name} parent ffff:`);
    await set(name, 30);
    expect((await host.sh(`tc filter show dev ${name} parent ffff:`)).stdout).toContain('Redirect to device predict');
    await clear(name);
  });

  it.each([
    ['no verb', []],
    ['an unknown verb', ['reboot', '--interface', 'lo']],
    ['no link', ['show']],
    ['a hostile interface', ['show', '--interface', 'd1;reboot']],
    ['a path as an interface', ['show', '--interface', '../../x']],
    ['an option as an interface', ['show', '--interface', '-batch']],
    ['a hostile network', ['show', '--network', '10.0.0.0/8 reboot']],
    ['an IPv6 network', ['show', '--network', 'fe80::/64']],
    ['a set without its level', ['set', '--interface', 'lo', '--lease', '5']],
    ['a rate that is none', ['set', '--interface', 'lo', '--rate', '5 burst 1']],
    ['a lease of NaN', ['renew', '--interface', 'lo', '--lease', 'nan']],
    ['a lease that is too short', ['renew', '--interface', 'lo', '--lease', '0.05']],
    ['a rate for show', ['show', '--interface', 'lo', '--rate', '5']],
    ['words behind', ['show', '--interface', 'lo', 'clear']],
  ])('is wrong usage with %s', async (_, args) => {
    expect(await host.link(...args)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^predict-agent link: /),
    });
  });

  it('says which interface is missing', async () => {
    expect(await host.link('show', '--interface', 'eth9')).toMatchObject({
      exitCode: 20,
      stderr: expect.stringContaining('eth9'),
    });
    expect(await host.link('show', '--network', '192.0.2.0/24')).toMatchObject({
      exitCode: 20,
      stderr: expect.stringContaining('192.0.2.0/24'),
    });
  });

  it('takes of two interfaces in the network the one that is up, as facts does', async () => {
    const network = '10.250.0.0/24';
    await host.sh(
      'ip link add dead type veth peer name q-dead; ip addr add 10.250.0.1/24 dev dead; ip link add live type veth peer name q-live; ip addr add 10.250.0.1/24 dev live; ip link set q-live up; ip link set live up',
    );
    const facts = JSON.parse((await host.sh(`${host.agent()} facts --network ${network}`)).stdout);
    const shown = stateOf(await host.link('show', '--network', network));
    expect([facts.dataInterface, shown.interface]).toEqual(['live', 'live']);
    await host.sh('ip link del dead; ip link del live');
  });

  it('changes links for root alone, and shows them to everybody', async () => {
    const asUser = (words: string) => host.sh(`setpriv --reuid 65534 --clear-groups ${host.agent()} link ${words}`);
    const refused = await asUser('clear --interface lo');
    expect([refused.exitCode, refused.stderr]).toEqual([24, expect.stringContaining('only root')]);
    expect((await asUser('show --interface lo')).exitCode).toBe(0);
  });

  it('keeps an owner to one line without control characters', async () => {
    const name = await device();
    const owner = `ann\n@state free\u001b[2J\u009b2J é\r${'é'.repeat(100)}`;
    const state = stateOf(
      await host.link(
        'set',
        '--interface',
        name,
        '--rate',
        '5000000',
        '--burst',
        '18168',
        '--lease',
        '30',
        '--owner',
        owner,
      ),
    );
    // 199 bytes: whole characters.
    expect([state.owner, state.state]).toEqual([`ann @state free [2J 2J é ${'é'.repeat(86)}`, 'throttled']);
    await clear(name);
  });

  describe('the state folder', () => {
    it.each([
      ['a link', (path: string) => `mkdir -p /run/elsewhere; ln -s /run/elsewhere ${path}`, /not a folder/],
      ["a stranger's folder", (path: string) => `mkdir ${path}; chown 65534 ${path}`, /belongs to user 65534/],
      ['a folder that others may write', (path: string) => `mkdir ${path}; chmod 777 ${path}`, /mode 0777/],
      ['a file', (path: string) => `echo x > ${path}`, /not a folder/],
    ])('is refused when it is %s, and nothing is changed', async (_, make, why) => {
      const name = await device();
      for (const path of [`/run/predict/throttle-${name}`, '/run/predict']) {
        await host.sh(
          `mkdir -p /run/predict; mv /run/predict /run/aside; ${path === '/run/predict' ? '' : 'mkdir /run/predict;'} ${make(path)}`,
        );
        for (const verb of ['show', 'clear', 'set']) {
          const refused = verb === 'set' ? await set(name) : await host.link(verb, '--interface', name);
          expect([refused.exitCode, refused.stderr]).toEqual([22, expect.stringMatching(why)]);
          expect(refused.stderr).toContain(`${path} `);
        }
        expect(await isFree(name)).toBe(true);
        expect((await host.sh('ls -A /run/elsewhere 2>/dev/null')).stdout).toBe('');
        await host.sh(`rm -rf /run/predict /run/elsewhere; mv /run/aside /run/predict`);
      }
    });

    it('lets one command work at a time: of many at once, each finds the link whole', async () => {
      const name = await device();
      const ends = await Promise.all(
        [20, 30, 40, 50, 60, 70].map((mbit) => (mbit === 40 ? clear(name) : set(name, mbit, 30))),
      );
      expect(ends.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(ends.map(() => [0, '']));
      for (const end of ends) {
        const state = readState('host', end.stdout);
        expect(state.state === 'free' || (state.keeper && state.classes !== null)).toBe(true);
      }
      const last = stateOf(await set(name, 80));
      expect([last.rateBps, last.keeper]).toEqual([80e6, true]);
      await until(() => host.keepers(name).length === 2);
      await clear(name);
      expect(await isFree(name)).toBe(true);
    });

    it('gives up with 23 on a lock that is never let go', async () => {
      const name = await device();
      await set(name);
      const held = host.sh(`exec flock /run/predict/throttle-${name}/lock sleep 40`);
      await until(() => host.processes().some(({ words }) => words[0] === 'sleep' && words[1] === '40'));
      const refused = await clear(name);
      expect([refused.exitCode, refused.stderr]).toEqual([
        23,
        expect.stringMatching(/another command has worked on d\d+ for 15 s/),
      ]);
      kill(
        ...host
          .processes()
          .filter(({ words }) => words[0] === 'sleep' || words[0] === 'flock')
          .map(({ id }) => id),
      );
      await held;
      await clear(name);
    });
  });

  describe('the lease', () => {
    const expired = { state: 'free', expired: true, keeper: false, leaseEndsInS: null } as const;

    it('is followed when it is renewed, and its end restores the link and leaves the mark', async () => {
      const name = await device();
      await set(name, 20, 2);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      expect(stateOf(await host.link('renew', '--interface', name, '--lease', '3')).leaseEndsInS).toBeCloseTo(3, 0);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect((await show(name)).state).toBe('throttled');
      await until(() => isFree(name), 4);
      await until(() => host.keepers(name).length === 0);
      expect(await show(name)).toMatchObject(expired);
      const renewed = stateOf(await host.link('renew', '--interface', name, '--lease', '30'));
      expect(renewed).toMatchObject(expired);
      expect(stateOf(await set(name))).toMatchObject({ state: 'throttled', expired: false });
      expect(stateOf(await clear(name))).toMatchObject({ state: 'free', expired: false });
    });

    it('ends the keepers when it is cleared', async () => {
      const name = await device();
      await set(name);
      expect(host.keepers(name)).toHaveLength(2);
      await clear(name);
      await until(() => host.keepers(name).length === 0);
    });

    it('has two keepers in a session of their own, out of reach of the OOM killer, with no file of the caller', async () => {
      const name = await device();
      await set(name);
      // Where root may protect a process at all.
      const { stdout: score } = await host.sh('echo -1000 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj');
      for (const id of host.keepers(name)) {
        const { stdout } = await host.sh(
          `cat /proc/${id}/oom_score_adj; ls -l /proc/${id}/fd | grep -c pipe; ps -o tty= -p ${id}; readlink /proc/${id}/fd/0 /proc/${id}/fd/1 /proc/${id}/fd/2`,
        );
        expect(stdout).toBe(`${score}\n0\n?\n/dev/null\n/dev/null\n/dev/null`);
      }
      await clear(name);
    });

    it('has a new twin when either keeper is killed, again and again', async () => {
      const name = await device();
      await set(name, 20, 60);
      for (let round = 0; round < 6; round += 1) {
        const [first, second] = host.keepers(name);
        const [victim, other] = round % 2 === 0 ? [first, second] : [second, first];
        kill(victim);
        const living = (): readonly number[] => host.keepers(name).filter((id) => id !== victim);
        await until(() => living().length === 2);
        expect(living()).toContain(other);
      }
      await clear(name);
      await until(() => host.keepers(name).length === 0);
    });

    it('runs out as usual when one keeper is stopped', async () => {
      for (const which of [0, 1]) {
        const name = await device();
        await set(name, 20, 1);
        const stopped = host.keepers(name)[which];
        host.signal('SIGSTOP', stopped);
        await until(() => isFree(name), 4);
        kill(stopped);
        await until(() => host.keepers(name).length === 0);
      }
    });

    it('has its keepers started again by a renewal when both were killed, and says meanwhile that there is none', async () => {
      const name = await device();
      await set(name, 20, 30);
      const both = host.keepers(name);
      host.signal('SIGSTOP', ...both);
      kill(...both);
      // A process that is killed holds its locks a moment longer than its name.
      await until(async () => !(await show(name)).keeper);
      expect(await show(name)).toMatchObject({ state: 'throttled', keeper: false });
      expect(stateOf(await host.link('renew', '--interface', name, '--lease', '1'))).toMatchObject({
        state: 'throttled',
        keeper: true,
      });
      expect(host.keepers(name)).toHaveLength(2);
      await until(() => isFree(name), 4);
    });

    it('that ran out without keepers is ended by the renewal that comes too late', async () => {
      const name = await device();
      await set(name, 20, 1);
      const both = host.keepers(name);
      host.signal('SIGSTOP', ...both);
      kill(...both);
      await new Promise((resolve) => setTimeout(resolve, 1300));
      expect(await isFree(name)).toBe(false);
      expect(stateOf(await host.link('renew', '--interface', name, '--lease', '30'))).toMatchObject(expired);
      expect(await isFree(name)).toBe(true);
    });

    it.each(['set', 'renew'])('without a keeper that can run is refused by %s, and the link is free', async (verb) => {
      const name = await device();
      await set(name, 20, 30);
      const both = host.keepers(name);
      host.signal('SIGSTOP', ...both);
      kill(...both);
      await until(() => host.keepers(name).length === 0);
      await host.sh(`cd /run/predict/throttle-${name} && rm keeper && mkdir keeper`);
      const refused = verb === 'set' ? await set(name) : await host.link('renew', '--interface', name, '--lease', '30');
      expect([refused.exitCode, refused.stderr]).toEqual([
        22,
        expect.stringMatching(/lease watchdog did not start on d\d+ \(.*\); the link is restored/),
      ]);
      expect(await isFree(name)).toBe(true);
      await host.sh(`rm -rf /run/predict/throttle-${name}`);
    });

    it('is ended at once by SIGTERM to a keeper', async () => {
      const name = await device();
      await set(name, 20, 60);
      host.signal('SIGTERM', host.keepers(name)[1]);
      await until(() => isFree(name), 3);
      await until(() => host.keepers(name).length === 0);
      expect(await show(name)).toMatchObject(expired);
    });

    it.each([
      ['cannot be understood', 'echo 12x > deadline.new && mv deadline.new deadline'],
      ['lies a thousand years ahead', 'echo 99999999999 > deadline.new && mv deadline.new deadline'],
    ])('whose deadline %s counts as ended', async (_, write) => {
      const name = await device();
      await set(name, 20, 60);
      await host.sh(`cd /run/predict/throttle-${name} && ${write}`);
      await until(() => isFree(name), 3);
      // The deadline goes last.
      await until(() => host.keepers(name).length === 0);
      expect((await show(name)).expired).toBe(true);
    });

    it('restores the link under the name that it has by then', async () => {
      const name = await device();
      await set(name, 20, 1);
      await host.sh(`ip link set ${name} down; ip link set ${name} name new-${name}; ip link set new-${name} up`);
      await until(() => isFree(`new-${name}`), 4);
      await until(() => host.keepers(name).length === 0);
    });

    it('stays for keepers to end when nobody can tell what is attached', async () => {
      const name = await device();
      await set(name, 20, 1);
      await host.sh(`cd /run/predict/throttle-${name} && mv attached aside && mkdir attached`);
      const log = `/run/predict/throttle-${name}/release.log`;
      await until(async () => /link cannot be restored: the mark/.test((await host.sh(`cat ${log}`)).stdout));
      for (const verb of ['show', 'clear']) {
        const refused = await host.link(verb, '--interface', name);
        expect([refused.exitCode, refused.stderr]).toEqual([22, expect.stringContaining('attached` cannot be read')]);
      }
      expect(await isFree(name)).toBe(false);
      await host.sh(`cd /run/predict/throttle-${name} && rmdir attached && mv aside attached`);
      await until(() => isFree(name));
      await until(() => host.keepers(name).length === 0);
    });

    it('ends with its interface', async () => {
      const name = await device();
      await set(name, 20, 1);
      const { stdout: index } = await host.sh(`cat /sys/class/net/${name}/ifindex`);
      await host.sh(`ip link del ${name}`);
      await until(() => host.keepers(name).length === 0, 4);
      expect((await host.sh(`ip link show predict${index}`)).stderr).toContain('does not exist');
    });
  });

  it('frees the link after one lease when any one process is killed at any moment', async () => {
    const rounds = 3;
    const victims: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const names = await Promise.all(Array.from({ length: 8 }, device));
      // Half of them are killed in the first set, half in a change of the level.
      await Promise.all(names.slice(4).map((name) => set(name, 20, 2)));
      await Promise.all(
        names.map(async (name, index) => {
          const running = set(name, 30, 2);
          await until(() => host.processes().some(({ words }) => words.includes(name) || words[1] === '-batch'));
          await new Promise((resolve) => setTimeout(resolve, ((index * 7 + round * 13) % 24) * 2));
          const all = host.processes().filter(({ words }) => words.includes(name));
          const victim = all[(index + round) % Math.max(all.length, 1)];
          if (victim) {
            victims.push(`${victim.words[0]?.split('/').at(-1)} ${victim.words[1]}`);
            kill(victim.id);
          }
          await running;
        }),
      );
      await Promise.all(names.map((name) => until(() => isFree(name), 8)));
      await Promise.all(names.map((name) => until(() => host.keepers(name).length === 0, 8)));
    }
    expect(victims.length).toBeGreaterThan(rounds * 4);
  });

  it('is restored after its keepers, and then its controller, were killed: the holder of the lock starts others', async () => {
    const name = await device();
    stateOf(await set(name, 20, 2));
    await host.sh(
      `mkfifo /run/end; (exec sleep 600 > /run/end 2>/dev/null) & (exec ${host.agent()} hold --token 11112222 --owner ann < /run/end > /run/held 2>&1) & until grep -qs "held 11112222" /run/held; do :; done`,
    );
    const keepers = host.keepers(name);
    expect(keepers).toHaveLength(2);
    host.signal('SIGKILL', ...keepers);
    const controller = host.processes().find(({ words }) => words.join(' ') === 'sleep 600');
    host.signal('SIGKILL', controller?.id);
    await until(() => isFree(name));
    expect((await show(name)).expired).toBe(true);
  });
});

describe.skipIf(!root)('predict-agent shape (needs root for its namespaces)', () => {
  const host = useEmulatedHost();

  it('holds a port at a rate both ways', async () => {
    const made = 'ip link add p1 type veth peer name q1; ip link add i1 type ifb; ip link set p1 up; ip link set i1 up';
    const shaped = await host.sh(
      `${made}; ${host.agent()} shape --interface p1 --back i1 --rate 200000000 --burst 100000`,
    );
    expect([shaped.exitCode, shaped.stderr]).toEqual([0, '']);
    const { stdout } = await host.sh(
      'for d in p1 i1; do tc qdisc show dev $d; tc class show dev $d; done; tc filter show dev p1 parent ffff:',
    );
    expect(stdout.match(/qdisc htb 7077: root .* default 0x1/g)).toHaveLength(2);
    expect(stdout.match(/class htb 7077:2 root .*rate 200Mbit ceil 200Mbit burst \S+ cburst/g)).toHaveLength(2);
    // Flows are served in turn, as on a throttled link.
    expect(stdout.match(/class htb 7077:\w+ parent 7077:2 /g)).toHaveLength(128);
    expect(stdout).toContain('Redirect to device i1)');
    const again = await host.sh(`${host.agent()} shape --interface p1 --back i1 --rate 200000000 --burst 100000`);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('p1 cannot be shaped')]);
  });
});
