import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptWords, sh } from '../../base/shell.ts';
import { asPercent, asSeconds } from '../../base/units.ts';
import { readEvents } from '../../experiments/store/campaign-events.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { loadInventory } from '../../inventory/load-inventory.ts';
import { LinkKeeper } from '../../orchestrator/cell/link-keeper.ts';
import { Cluster } from '../../orchestrator/hosts/cluster.ts';
import { AGENT, deployPrograms } from '../../orchestrator/hosts/deployment.ts';
import { showLinks } from '../../orchestrator/hosts/throttle-hosts.ts';
import { judgeRun } from '../../throttle/proof.ts';
import { NEEDS, noLab, predict, until, useLab } from './fixture.ts';
import { itUnlessStolen } from './it-unless-stolen.ts';

/** Of a host of the lab's link of 200 Mbit/s. */
const PERCENT = asPercent(10);
const RATE_BPS = 20e6;

/** Addresses that are not the data network's, and some that are its second ones; sshd listens on none of these. */
const ADDRESSES = sh`
ip -6 addr add fd00:77::$1/64 dev eth0 nodad
ip addr add 10.88.0.$1/24 dev eth0
ip addr add 10.77.200.$1/16 dev eth0`;
/** So many bytes in datagrams to an address outside of the data network, which the host with that MAC drops. */
const DATAGRAMS = sh`
ip neigh replace 10.88.0.99 lladdr "$1" dev eth0
exec bash -c 'exec 3>/dev/udp/10.88.0.99/9; dd if=/dev/zero bs=1400 count=$1 >&3 2>/dev/null' bash "$2"`;

describe.skipIf(noLab)(`traffic past the throttle ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-bypass', hosts: 4, cpu: '25%', root: true });
  let cluster: Cluster;
  let links: LinkKeeper;
  const hosts = () => cluster.inventory.hosts.slice(0, 2);
  const on = (index: number) => cluster.on(hosts()[index - 1] ?? { name: '', address: undefined });
  /** Processes of a host, as this machine numbers them. */
  const processes = (host: string): readonly string[] => {
    const [, folder = ''] = /["' ](\/[^"'\s,\]]*\{host\}[^"'\s,\]]*)/.exec(readFileSync(lab.inventory(), 'utf8')) ?? [];
    return readFileSync(join(folder.replaceAll('{host}', host), 'cgroup.procs'), 'utf8')
      .split('\n')
      .filter(Boolean);
  };

  beforeAll(async () => {
    cluster = new Cluster(loadInventory(lab.inventory()));
    links = new LinkKeeper(cluster, { lease: { seconds: asSeconds(600), owner: 'a test' } });
    await deployPrograms(cluster, hosts());
    for (const index of [1, 2]) await on(index).exec(scriptWords(ADDRESSES, String(index)));
    const [left = '', right = ''] = hosts().map(({ name }) => processes(name)[0]);
    await execa('ip', ['link', 'add', 'rail0', 'netns', left, 'type', 'veth', 'peer', 'name', 'rail0', 'netns', right]);
    for (const index of [1, 2]) {
      await on(index).exec(scriptWords(sh`ip addr add 10.99.0.$1/24 dev rail0; ip link set rail0 up`, String(index)));
    }
  });
  afterAll(async () => {
    await links?.release();
    cluster?.close();
  });

  /** A stream from the first host to an address of the second, bit/s. */
  const stream = async (to: string, seconds = 1): Promise<number> => {
    const agent = cluster.remotePath(AGENT);
    const words = (...rest: readonly string[]) => [agent, 'probe', ...rest, to, '--seconds', String(seconds)];
    const [received] = await Promise.all([
      on(2).exec([...words('--listen'), '--warm-bytes', '50000']),
      on(1).exec(words('--connect')),
    ]);
    expect(received.stderr).toMatch(/^listening/);
    return (JSON.parse(received.stdout) as { bitsPerSecond: number }).bitsPerSecond;
  };
  /** What is said of a run that is such traffic, at 10 % or with free links. */
  const judged = async (
    traffic: () => Promise<unknown>,
    { percent = PERCENT, beside = [] }: { percent?: number; beside?: readonly string[] } = {},
  ): Promise<string | null> => {
    const { rateBps, states: before } = await links.set(hosts(), asPercent(percent));
    await traffic();
    const after = await showLinks(cluster, hosts());
    return judgeRun({ rateBps, latencyMs: 0, before, after, communicates: true, beside });
  };
  const ownTraffic = () => stream('10.77.0.2:31000');

  itUnlessStolen('is none when it is IPv4 or IPv6 of the data network: both are held at the rate', async () => {
    const rates: number[] = [];
    const verdict = await judged(async () => {
      rates.push(await ownTraffic(), await stream('[fd00:77::2]:31001'));
    });
    expect(verdict).toBeNull();
    for (const rate of rates) {
      expect(rate).toBeLessThan(RATE_BPS);
      expect(rate).toBeGreaterThan(0.7 * RATE_BPS);
    }
  });

  it('is none when next to nothing was moved, a connection that was refused', async () => {
    expect(await judged(() => on(1).exec(['bash', '-c', ': >/dev/tcp/10.77.0.2/9']))).toBeNull();
  });

  it('is not when the controller fetched and sent files meanwhile, over SSH on the same link', async () => {
    const verdict = await judged(async () => {
      await ownTraffic();
      const { stdout } = await on(1).exec(['head', '-c', '2000000', '/dev/zero']);
      await on(2).exec(['wc', '-c'], { input: stdout });
    });
    expect(verdict).toBeNull();
  });

  it.each([
    ['the SSH port', () => stream('10.77.200.2:22')],
    ['the SSH port of IPv6', () => stream('[fd00:77::2]:22')],
    ['addresses outside of the data network', () => stream('10.88.0.2:31002')],
  ])('makes a run invalid when it goes over %s', async (_, traffic) => {
    const verdict = await judged(() => Promise.all([ownTraffic(), traffic()]));
    expect(verdict).toMatch(/^node01 moved \d+ % of its [\d.]+ MiB \(out\) on eth0 past the throttled class: /);
  });

  it('makes a run invalid when it is a quarter of the bytes', async () => {
    const { stdout: mac } = await on(2).exec(['cat', '/sys/class/net/eth0/address']);
    const verdict = await judged(async () => {
      await stream('10.77.0.2:31003', 1.6);
      await on(1).exec(scriptWords(DATAGRAMS, mac.trim(), '900'));
    });
    expect(verdict).toMatch(/^node01 moved 2\d % of its [\d.]+ MiB \(out\) on eth0 past the throttled class: /);
  });

  it('makes a run invalid when it takes a second interface, unless that is named', async () => {
    const onRail = () => Promise.all([ownTraffic(), stream('10.99.0.2:31004')]);
    const named = /^node01 moved [\d.]+ [MG]iB \(out\) on rail0 beside .* name rail0 under network\.beside/;
    expect(await judged(onRail)).toMatch(named);
    expect(await judged(onRail, { beside: ['rail0'] })).toBeNull();
    expect(await judged(onRail, { percent: 100 })).toMatch(named);
  });

  it('has a run of a sweep tried again, and the reason kept', async () => {
    await links.release();
    // Open MPI would use each address of the interface.
    for (const index of [1, 2]) {
      await on(index).exec(
        scriptWords(sh`ip addr del 10.77.200.$1/16 dev eth0; ip addr del 10.88.0.$1/24 dev eth0`, String(index)),
      );
    }
    const out = join(lab.folder, 'campaign');
    const sweep = ['sweep', '--inventory', lab.inventory(), '--cells', '4:12:50', '--roots', '150', '--repeats', '0'];
    const running = predict([...sweep, '--validate', '1', '--out', out]);
    let said: string | null = null;
    void running.then(({ stderr }) => {
      said = stderr;
    });
    const isSampler = (pid: string): boolean => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('predict-agent\0sample\0');
      } catch {
        return false;
      }
    };
    const isProved = (): boolean => existsSync(out) && readEvents(out).some(({ kind }) => kind === 'level-proved');
    // Once the level is proved, the sampler tells that searches run or are about to.
    for (const isSo of [isProved, () => processes('node01').some(isSampler)]) {
      expect(await until(async () => said !== null || isSo(), Boolean, 60)).toBe(true);
      expect(said, 'the sweep ended before').toBe(null);
    }
    await stream('[fd00:77::2]:22', 0.5);
    const { exitCode, stderr } = await running;
    expect(exitCode, stderr).toBe(0);
    const reasons = readEvents(out).flatMap((event) => (event.kind === 'cell-retried' ? [event.reason] : []));
    expect(reasons).toEqual([
      expect.stringMatching(/^The run at 50 % is invalid: node0[12] moved \d+ % of its .* past the throttled class: /),
    ]);
    expect((await openCampaign(out)).records.map(({ status }) => status)).toEqual(['ok']);
  });
});
