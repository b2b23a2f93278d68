import { asBitsPerSecond, type BitsPerSecond, formatRate, formatSeconds } from '../../base/units.ts';
import type { Mark, Proof } from '../../experiments/records.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { acceptedLinks, judgeBalance, rateDoubt } from '../../throttle/proof.ts';
import { otherLibrary } from '../launchers/launchers.ts';
import type { ForeignCpu } from './own-machine.ts';
import type { CpuUse, Sampled } from './sampled.ts';
import type { SampledHost } from './samplers.ts';

/** What a run left by which it is judged. */
interface Evidence {
  readonly proof: Proof;
  readonly lineRate: BitsPerSecond;
  /** Hosts whose links are accepted as they are. */
  readonly accept: readonly string[];
  /** Readings per second that the samplers were asked for. */
  readonly hz: number;
  /** How long the launcher ran. */
  readonly workloadS: number;
  readonly seen: readonly SampledHost[];
  /** What others used of the machine that the hosts live in; null where they live elsewhere. */
  readonly ownMachine: ForeignCpu | null;
  /** The program printed more than is read at once: only both ends of it were. */
  readonly isCut: boolean;
}

/** What of a run that is a measurement its reader must know, host by host. */
export function marksOfRun({ proof, lineRate, accept, hz, workloadS, seen, ownMachine, isCut }: Evidence): Mark[] {
  return [
    ...seen.flatMap((sampled) => samplerMarks(sampled, { hz, workloadS })),
    ...seen.flatMap(cpuMarks),
    ...(ownMachine === null ? [] : machineMarks(ownMachine)),
    ...acceptedMarks(proof, accept),
    ...rateMarks(proof, { lineRate, accept }),
    ...trafficMarks(proof),
    ...(isCut ? [CUT] : []),
  ];
}

const CUT: Mark = {
  kind: 'output-cut',
  host: null,
  text: 'The output was so long that only its first and last part were read.',
};

/** Of the readings that a run should have, and the longest time without any: in readings, and not less than a second. */
const SAMPLER = { share: 0.8, gapReadings: 10, gapS: 1 } as const;

function samplerMarks(
  { host, death, end, samples, longestGapS }: SampledHost,
  { hz, workloadS }: Pick<Evidence, 'hz' | 'workloadS'>,
): Mark[] {
  const expected = Math.floor(hz * workloadS);
  const count = `${samples} of ${expected} readings`;
  const mark = (text: string): Mark[] => [{ kind: 'sampler', host, text: `${host}: the sampler ${text}.` }];
  if (death !== null) return mark(`${death} (it took ${count})`);
  if (end === null) return mark(`has a truncated output (it took ${count})`);
  // Very short runs have a reading at the start and one at the end.
  if (samples < SAMPLER.share * expected - 2) return mark(`took ${count}`);
  const longest = Math.max(SAMPLER.gapReadings / hz, SAMPLER.gapS);
  return longestGapS > longest ? mark(`paused for ${formatSeconds(longestGapS)}`) : [];
}

/** Of the cores that a host may use, but on a large host not more than a part of one, and how long ranks must have run. */
const STOLEN = { share: 0.1, cores: 0.25, seconds: 1 } as const;

/** The sampler's own time is known; interrupts are left out, because the run's messages cause them. */
function cpuMarks({ host, cpu, end, seconds }: SampledHost): Mark[] {
  if (cpu === null || end === null || cpu.seconds < STOLEN.seconds) return [];
  const others = othersOf(cpu, end.cpuNs / 1e9 / Math.max(seconds, cpu.seconds));
  if (others <= Math.min(STOLEN.share * cpu.cores, STOLEN.cores)) return [];
  const steal = cpu.stealS / cpu.seconds;
  const cores = (value: number): string => value.toFixed(2);
  const taken = steal > others / 10 ? `, ${cores(steal)} of them the hypervisor` : '';
  const text = `${host}: processes other than the ranks used ${cores(others)} of ${cores(cpu.cores)} cores during the run${taken}.`;
  return [{ kind: 'stolen-cpu', host, text }];
}

function machineMarks({ cores, stolen, of }: ForeignCpu): Mark[] {
  if (cores <= Math.min(STOLEN.share * of, STOLEN.cores)) return [];
  const taken = stolen > cores / 10 ? `, ${stolen.toFixed(2)} of them the hypervisor` : '';
  const text = `Other processes used ${cores.toFixed(2)} of the ${of} cores of the machine that emulates the hosts${taken}.`;
  return [{ kind: 'stolen-cpu', host: null, text }];
}

/** Cores that others used on average; `sampler` is what the sampler did. */
function othersOf({ busyS, interruptsS, ranksS, launcherS, seconds }: CpuUse, sampler: number): number {
  return (busyS - interruptsS - ranksS - launcherS) / seconds - sampler;
}

function acceptedMarks({ rateBps, probes }: Proof, accept: readonly string[]): Mark[] {
  return acceptedLinks(probes, asBitsPerSecond(rateBps), accept).map(({ host, bps }) => {
    const text = `The link of ${host} was accepted at ${formatRate(bps)}, where ${formatRate(rateBps)} were set.`;
    return { kind: 'link-accepted', host, text };
  });
}

function rateMarks({ bw, probes }: Proof, { lineRate, accept }: Pick<Evidence, 'lineRate' | 'accept'>): Mark[] {
  const doubt = bw < 100 ? null : rateDoubt(probes, lineRate, accept);
  if (doubt === null) return [];
  const { host, way, text } = doubt;
  return [{ kind: way === 'below' ? 'link-below-rate' : 'link-above-rate', host, text: `${host}: ${text}.` }];
}

function trafficMarks({ classes, rateBps }: Proof): Mark[] {
  const found = judgeBalance(classes, rateBps);
  return found ? [{ kind: 'foreign-traffic', host: found.host, text: `${found.host}: ${found.text}.` }] : [];
}

/** A rank that lives shorter than this may end between two readings, seconds. */
const LEAST_S = 2;

/**
 * Why the processes that samplers saw are not the run that was asked for, one sentence; null where nothing speaks against it. A
 * program that ends between two readings is not seen, but by checkProgram before.
 */
export function ranksDoubt(
  seen: readonly Pick<Sampled, 'host' | 'seconds' | 'ranks' | 'libraries'>[],
  { inventory, ranksPerNode, hasEnded }: { inventory: Inventory; ranksPerNode: number; hasEnded: boolean },
): string | null {
  for (const { host, libraries } of seen) {
    const [other] = libraries.flatMap((each) => otherLibrary(inventory, each) ?? []);
    if (other !== undefined) return `${host}: ${other}`;
  }
  if (!hasEnded) return null;
  const few = seen.find(({ ranks, seconds }) => seconds >= LEAST_S && ranks.length > 0 && ranks.length < ranksPerNode);
  if (few === undefined) return null;
  return `${few.host}: ${few.ranks.length} of ${ranksPerNode} ranks ran there: check mpi.args in the inventory.`;
}
