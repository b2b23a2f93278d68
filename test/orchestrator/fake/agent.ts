import type { FakeHost, Running } from '../fake-host.ts';
import { type Answer, answer, refusal } from './answer.ts';
import { followOrders } from './orders.ts';
import { option } from './words.ts';

/** What predict-agent does on a fake host, subcommand by subcommand. */
export async function runAgent(
  host: FakeHost,
  { verb, words, running }: { readonly verb: string; readonly words: readonly string[]; readonly running: Running },
): Promise<Answer> {
  switch (verb) {
    case 'facts':
      return answer(JSON.stringify(factsOf(host)));
    case 'probe': {
      return await probe(host, { words, alive: running.alive });
    }
    case 'install':
      return host.privilege === 'none' ? refusal(1, 'sudo: a password is required') : answer();
    case 'hold':
      return hold(host, { owner: option(words, '--owner') ?? '', token: option(words, '--token') ?? '', running });
    case 'sample':
      return sample(host, running);
    case 'guard':
      return launch(host, { argv: words.slice(words.indexOf('--') + 1), running });
    default:
      throw new Error(`predict-agent has no ${verb}`);
  }
}

/** One end of a flow, or one of each of two. */
async function probe(
  host: FakeHost,
  { words, alive }: { readonly words: readonly string[]; readonly alive: () => boolean },
): Promise<Answer> {
  const seconds = Number(option(words, '--seconds'));
  const meet = (address: string, sends: boolean): Promise<Answer> =>
    host.world.probes.meet(host, { address, sends, seconds, alive });
  const [listens, connects] = [option(words, '--listen'), option(words, '--connect')];
  if (listens === undefined || connects === undefined) return meet(listens ?? connects ?? '', listens === undefined);
  const [received, sent] = await Promise.all([meet(listens, false), meet(connects, true)]);
  const failed = [received, sent].find(({ exitCode }) => exitCode !== 0);
  return failed ?? answer(JSON.stringify({ received: JSON.parse(received.stdout), sent: JSON.parse(sent.stdout) }));
}

function factsOf({ host, address, clockOffsetNs, facts, world }: FakeHost): object {
  return {
    ...{ hostname: host, kernel: '6.1.0', cores: 2, memoryBytes: 4 * 2 ** 30 },
    ...{
      dataInterface: 'eth0',
      dataAddress: `${address}/24`,
      tools: { tc: '/usr/sbin/tc' },
      systemd: true,
      cpuQuota: null,
    },
    clock: { realtimeNs: String(BigInt(Math.round(world.clock.ms * 1e6)) + clockOffsetNs) },
    ...facts,
  };
}

async function hold(
  host: FakeHost,
  { owner, token, running }: { owner: string; token: string; running: Running },
): Promise<Answer> {
  if (host.lockedBy !== undefined) {
    const who = `the lock /run/predict/lock is held by ${host.lockedBy}`;
    return refusal(3, `predict-agent hold: ${who}; wait for it to end, or end it`);
  }
  host.lockedBy = owner;
  running.print(`held ${token}\n`);
  await running.ended;
  host.lockedBy = undefined;
  return answer();
}

/** A reading at each twentieth of a second that passes, as the sampler of an idle host; `host.burnt` cores are others'. */
async function sample(host: FakeHost, running: Running): Promise<Answer> {
  const { clock } = host.world;
  const startedMs = clock.ms;
  let samples = 0;
  const line = (metric: string, instance: string, value: number): string =>
    `${clock.ms * 1e6}\t${metric}\t${instance}\t${Math.round(value)}\n`;
  const read = (): string => {
    samples += 1;
    const ns = (clock.ms - startedMs) * 1e6;
    const first = samples > 1 ? '' : line('cpu.capacity_mcores', 'all', 2000) + line('memory.oom_kills', 'all', 0);
    return `${first}${line('cpu.busy_ns', 'cpu0', ns * (0.1 + host.burnt))}${line('net.tx_bytes', 'eth0', 0)}${line('rank.cpu_ns', '0', ns * 0.1)}`;
  };
  running.print(`#predict-samples 1 host=${host.host} clock=realtime hz=20 cores=2\n${read()}`);
  const stop = clock.every(50, () => running.print(read()));
  await running.ended;
  stop();
  return answer(`${read()}#end samples=${samples} missed=0 cpu_ns=1000000\n`);
}

/** What is behind the launcher's last option. */
function programOf(argv: readonly string[]): readonly string[] {
  const options = argv.slice(argv.lastIndexOf('oob_tcp_if_include') + 2);
  while (options[0] === '-x') options.splice(0, 2);
  return options;
}

/** Open MPI's mpirun: the hosts after --host, the program after the last option that predict gives. */
async function launch(
  host: FakeHost,
  { argv, running }: { argv: readonly string[]; running: Running },
): Promise<Answer> {
  const named = option(argv, '--host');
  // Without a launcher the program runs on this host alone.
  const names = named?.split(',').map((entry) => entry.replace(/:\d+$/, '')) ?? [host.host];
  const hosts = names.map((name) => host.world.host(name));
  if (argv.at(-1) === 'hostname') {
    if (host.mpi === null) return refusal(127, 'predict-agent guard: mpirun cannot be started: No such file');
    return answer(hosts.map((each) => `${each.host}\n`).join(''));
  }
  const path = option(argv, '--orders');
  if (path !== undefined) return await followOrders(host, { path, hosts, argv: programOf(argv), running });
  const first = hosts[0] ?? host;
  const end = await host.world.program({
    hosts,
    argv: named === undefined ? argv : programOf(argv),
    write: (path, text) => void first.files.set(path, Buffer.from(text)),
    print: running.print,
  });
  return { ...answer(), ...end };
}
