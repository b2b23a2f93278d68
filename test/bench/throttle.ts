// What a throttled link passes, as a share of the set rate, and what a small message waits beside eight bulk flows: two hosts
// (namespaces that it makes), rates of 1 Mbit/s to 10 Gbit/s, IPv4 and IPv6, cubic and BBR where the kernel has them.
//   npm run bench -- throttle
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { asBitsPerSecond, asSeconds, formatRate } from '../../base/units.ts';
import { clearCommand, setCommand, showCommand } from '../../throttle/link-command.ts';
import { readState } from '../../throttle/state.ts';

const { agent } = await buildHostPrograms();
const QUEUES = ['fair', '5ms'];
const RATES = [1e6, 10e6, 100e6, 1e9, 10e9].map(asBitsPerSecond);
const FLOWS = 8;
const FAMILIES = { IPv4: ['10.9.0.', '24'], IPv6: ['fd09::', '64'] } as const;
const controls = readFileSync('/proc/sys/net/ipv4/tcp_available_congestion_control', 'utf8')
  .split(/\s+/)
  .filter((name) => ['cubic', 'bbr'].includes(name));

const ENDS = [1, 2] as const;
type End = (typeof ENDS)[number];
const spaceOf = (end: End): string => `predict-bench${process.pid}-${end}`;
const linkOf = (end: End, queue: string) => ({ interface: `end${end}`, network: undefined, sshPort: 22, queue });
const run = (end: End, words: readonly string[]) => execa('ip', ['netns', 'exec', spaceOf(end), ...words]);
const inSpace = (end: End, words: string) => run(end, words.split(' '));

async function measure(
  queue: string,
  rate: (typeof RATES)[number],
  [base, width]: readonly string[],
  control: string,
): Promise<readonly string[]> {
  for (const end of ENDS) {
    const lease = { seconds: asSeconds(120), owner: 'bench' };
    await run(end, [agent, ...setCommand(linkOf(end, queue), { rateBps: rate, latencyMs: 0 }, lease)]);
    await inSpace(
      end,
      `ip route replace ${base}${width === '24' ? '0' : ''}/${width} dev end${end} congctl ${control}`,
    );
  }
  const seconds = rate < 5e6 ? 20 : 6;
  const counted = async () => {
    const { stdout } = await run(1, [agent, ...showCommand(linkOf(1, queue))]);
    const { uptimeS, classes } = readState('end1', stdout);
    return { uptimeS, bytes: classes?.out.bytes ?? Number.NaN };
  };
  const probes = Array.from({ length: FLOWS }, (_, flow) => {
    const address = `${width === '24' ? `${base}2` : `[${base}2]`}:${6000 + flow}`;
    const words = ['--seconds', String(seconds), ...(flow === 0 ? ['--ping-after', String(seconds / 3)] : [])];
    const listen = run(2, [agent, 'probe', '--listen', address, '--warm-bytes', '1', ...words]);
    return { listen, connect: run(1, [agent, 'probe', '--connect', address, ...words]) };
  });
  await delay((seconds * 1000) / 3);
  const before = await counted();
  await delay((seconds * 1000) / 2);
  const after = await counted();
  const [first] = await Promise.all(probes.map(({ connect }) => connect));
  await Promise.all(probes.map(({ listen }) => listen));
  for (const end of ENDS) await run(end, [agent, ...clearCommand(linkOf(end, queue))]);
  const share = ((after.bytes - before.bytes) * 8) / (after.uptimeS - before.uptimeS) / rate;
  const { roundTripMs } = JSON.parse(first?.stdout ?? '{}') as { readonly roundTripMs?: number };
  return [share.toFixed(4), roundTripMs === undefined ? 'none' : roundTripMs.toFixed(1)];
}

try {
  for (const end of ENDS) await execa('ip', ['netns', 'add', spaceOf(end)]);
  await inSpace(1, `ip link add end1 type veth peer name end2 netns ${spaceOf(2)}`);
  for (const end of ENDS) {
    await inSpace(end, `ip link set end${end} up`);
    for (const [base, width] of Object.values(FAMILIES)) {
      await inSpace(end, `ip addr add ${base}${end}/${width} dev end${end} ${width === '64' ? 'nodad' : ''}`.trim());
    }
  }
  console.log('queue  rate         family  control  share of the rate  round trip (p90)');
  for (const queue of QUEUES) {
    for (const rate of RATES) {
      for (const [family, range] of Object.entries(FAMILIES)) {
        for (const control of controls) {
          const [share = '', ms = ''] = await measure(queue, rate, range, control);
          const start = [queue.padEnd(5), formatRate(rate).padEnd(11), family.padEnd(6), control.padEnd(7)];
          console.log([...start, share.padStart(17), `${ms} ms`.padStart(16)].join('  '));
        }
      }
    }
  }
} finally {
  for (const end of ENDS) await execa('ip', ['netns', 'del', spaceOf(end)], { reject: false });
}
