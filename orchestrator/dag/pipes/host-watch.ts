import { basename } from 'node:path';
import type { AgentLine, HeldEnd } from './agent-lines.ts';

/** A channel as one host sees it. */
export interface Channel {
  readonly host: string;
  /** As its agent says it. */
  readonly name: string;
  readonly isConnection: boolean;
  /** What samples of this period found; null where none did. */
  level: { samples: number; full: number; levelSum: number; capacity: number; sent: number } | null;
  /** Bytes that were sent into a connection since it began; null before the first sample. */
  sent: number | null;
}

/** An end of a channel that a process holds. */
type OwnEnd = Omit<HeldEnd, 'channel'> & { readonly channel: Channel };

/** Sums of the samples of a period. */
interface ProcessSums {
  seen: number;
  running: number;
  disk: number;
  polling: number;
  holding: number;
  /** Samples blocked reading and writing, by channel. */
  readonly blocked: { readonly r: Map<Channel, number>; readonly w: Map<Channel, number> };
  /** What it read and wrote in the period; null where that may not be read. */
  readBytes: number | null;
  writtenBytes: number | null;
  /** Of its only thread, ns: on a processor or in line for one, on one, and the time in which it was that. */
  runNs: number;
  onCpuNs: number;
  timedNs: number;
}

/** A process of the job as its host tells of it. */
export interface WatchedProcess {
  readonly host: string;
  readonly pid: number;
  parent: number;
  name: string;
  args: string;
  ends: readonly OwnEnd[];
  alive: boolean;
  /** Samples of its life, and of them those in which it waited for a child. */
  lived: number;
  held: number;
  sums: ProcessSums;
  last: { readBytes: number | null; writtenBytes: number | null; runNs: number | null; onCpuNs: number };
}

/** A slice of a host, on the clock of this machine. */
interface HostSlice {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Of processes that ended, so many whose data may still be on its way. */
const MOST_DRAINING = 64;
/** A command that starts more is no plain pipeline. */
const MOST_STAGES = 256;

/** What one host's agent says, gathered into the period that goes on. */
export class HostWatch {
  readonly host: string;
  /** By pid; those that ended in this period are among them. */
  readonly processes = new Map<number, WatchedProcess>();
  /** Names of what the command's shell started, by pid, in that order. */
  readonly stages = new Map<number, string>();
  /** Processes that share a number with a later one. */
  readonly former: WatchedProcess[] = [];
  cores = 0;
  /** Where the last slice ended. */
  toNs = 0;
  samples = 0;
  missed = 0;
  readonly #channels = new Map<string, Channel>();
  #missedBefore = 0;
  #sliceNs = 0;
  #shell: number | null = null;
  /** The host's clock less this machine's, ns, from the first slice: late by the way of one message. */
  #aheadNs: number | null = null;

  readonly #isStarted: boolean;

  /** `isStarted`: its processes are started by us, so that what they count is the job's from their begin on. */
  constructor(host: string, isStarted: boolean) {
    this.host = host;
    this.#isStarted = isStarted;
  }

  /** Takes a line in; `nowNs` is this machine's clock. */
  take(line: AgentLine, nowNs: number): void {
    switch (line.kind) {
      case 'begun':
        this.cores = line.cores;
        return;
      case 'process':
        this.#takeProcess(line);
        return;
      case 'ends': {
        const process = this.processes.get(line.pid);
        // What a process lets go of as it ends says nothing of what it was joined to.
        if (process && line.ends.length > 0)
          process.ends = line.ends.map((end) => ({ ...end, channel: this.#channelOf(end.channel) }));
        return;
      }
      case 'gone': {
        const process = this.processes.get(line.pid);
        if (process) process.alive = false;
        return;
      }
      case 'slice':
        this.toNs = this.stretchOf(line, nowNs).toNs;
        this.#sliceNs = line.toNs - line.fromNs;
        this.samples += line.samples;
        this.missed += Math.max(0, line.missed - this.#missedBefore);
        this.#missedBefore = line.missed;
        return;
      case 'did':
        this.#takeDid(line);
        return;
      case 'waited': {
        const blocked = this.processes.get(line.pid)?.sums.blocked[line.way];
        const channel = this.#channelOf(line.channel);
        blocked?.set(channel, (blocked.get(channel) ?? 0) + line.count);
        return;
      }
      case 'level':
        this.#takeLevel(line);
        return;
      default:
        return;
    }
  }

  /** The time of a slice on this machine's clock, whose reading is `nowNs`. */
  stretchOf({ fromNs, toNs }: HostSlice, nowNs: number): HostSlice {
    this.#aheadNs ??= toNs - nowNs;
    return { fromNs: fromNs - this.#aheadNs, toNs: toNs - this.#aheadNs };
  }

  /** A new period: sums from nothing, without those that ended. */
  renew(): void {
    this.samples = 0;
    this.missed = 0;
    for (const channel of this.#channels.values()) channel.level = null;
    this.former.length = 0;
    const live = [...this.processes.values()].filter(({ alive }) => alive);
    const draining = [...this.processes.values()].filter((process) => !process.alive && drains(process, live));
    // The latest are behind.
    const kept = new Set(draining.slice(-MOST_DRAINING));
    for (const [pid, process] of this.processes) {
      if (process.alive || kept.has(process)) process.sums = noSums();
      else this.processes.delete(pid);
    }
  }

  #takeProcess({ pid, parent, name, args }: AgentLine & { kind: 'process' }): void {
    if (this.#isStarted) this.#shell ??= pid;
    if (parent === this.#shell && (this.stages.size < MOST_STAGES || this.stages.has(pid)))
      this.stages.set(pid, programName({ name, args }));
    const known = this.processes.get(pid);
    if (known?.alive) {
      Object.assign(known, { parent, name, args });
      return;
    }
    if (known) this.former.push(known);
    this.processes.set(pid, {
      ...{ host: this.host, pid, parent, name, args, ends: [], alive: true, lived: 0, held: 0, sums: noSums() },
      last: { readBytes: null, writtenBytes: null, runNs: null, onCpuNs: 0 },
    });
  }

  #takeDid(line: AgentLine & { kind: 'did' }): void {
    const process = this.processes.get(line.pid);
    if (!process) return;
    const { sums, last } = process;
    process.lived += line.seen;
    process.held += line.holding;
    for (const key of ['seen', 'running', 'disk', 'polling', 'holding'] as const) sums[key] += line[key];
    this.#takeTimes(process, line);
    for (const key of ['readBytes', 'writtenBytes'] as const) {
      const [before, total] = [last[key], line[key]];
      // Of one that has just ended the last slice is not known.
      if (total === null) continue;
      const from = before ?? (this.#isStarted ? 0 : total);
      sums[key] = (sums[key] ?? 0) + Math.max(0, total - from);
      last[key] = total;
    }
  }

  /** Of several threads the sum says nothing of how long one of them ran; a kernel that does not count says zero. */
  #takeTimes({ sums, last }: WatchedProcess, { cpuNs, queueNs, threads }: AgentLine & { kind: 'did' }): void {
    const total = threads === 1 && cpuNs !== null && queueNs !== null && cpuNs > 0 ? cpuNs + queueNs : null;
    if (total !== null && last.runNs !== null && total >= last.runNs) {
      sums.runNs += total - last.runNs;
      sums.onCpuNs += Math.max(0, (cpuNs ?? 0) - last.onCpuNs);
      sums.timedNs += this.#sliceNs;
    }
    last.runNs = total;
    last.onCpuNs = cpuNs ?? 0;
  }

  #takeLevel({ channel: name, samples, full, levelSum, capacity, sent }: AgentLine & { kind: 'level' }): void {
    const channel = this.#channelOf(name);
    const before = channel.level ?? { samples: 0, full: 0, levelSum: 0, sent: 0 };
    channel.level = {
      samples: before.samples + samples,
      full: before.full + full,
      levelSum: before.levelSum + levelSum,
      capacity,
      sent: before.sent + Math.max(0, sent - (channel.sent ?? (this.#isStarted ? 0 : sent))),
    };
    channel.sent = sent;
  }

  #channelOf(name: string): Channel {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { host: this.host, name, isConnection: name.startsWith('tcp:'), level: null, sent: null };
      this.#channels.set(name, channel);
    }
    return channel;
  }
}

/** Whether others may still read what a process that ended wrote: nobody else writes there. */
function drains({ ends }: WatchedProcess, live: readonly WatchedProcess[]): boolean {
  return ends.some(({ writes, channel }) => {
    if (!writes) return false;
    const held = live.flatMap((process) => process.ends.filter((end) => end.channel === channel));
    return !held.some((end) => end.writes) && (held.some((end) => end.reads) || channel.isConnection);
  });
}

function noSums(): ProcessSums {
  return {
    ...{ seen: 0, running: 0, disk: 0, polling: 0, holding: 0, blocked: { r: new Map(), w: new Map() } },
    ...{ readBytes: null, writtenBytes: null, runNs: 0, onCpuNs: 0, timedNs: 0 },
  };
}

const INTERPRETER = /^(?:(?:ba|da|z|k|a)?sh|python[\d.]*|perl[\d.]*|ruby[\d.]*|node|Rscript|php[\d.]*|tclsh[\d.]*)$/;

/** What people call a program: its file's name, for a script that of the script. */
export function programName({ name, args }: { readonly name: string; readonly args: string }): string {
  const words = args.split(' ').filter((word) => word !== '');
  // sshd and others write their state over their arguments: `sshd-session: root@notty`.
  const first = basename((words[0] ?? '').replace(/:$/, '')).replace(/^-/, '');
  const script = INTERPRETER.test(first) ? words.slice(1).find((word) => !word.startsWith('-')) : undefined;
  const byFlag = words.slice(1).some((word) => /^-[a-z]*[ce]$/.test(word));
  return (script !== undefined && !byFlag ? basename(script) : first) || name;
}
