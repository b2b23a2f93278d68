import { infrastructure } from '../base/errors.ts';
import { at } from '../base/lists.ts';

/** Counters of one direction's throttled class, cumulative. */
interface ClassCounters {
  readonly rateBps: number;
  readonly bytes: number;
  readonly drops: number;
  readonly overlimits: number;
}

/** What is on a host's data link, as `predict-agent link` reports it. */
export interface LinkState {
  readonly interface: string;
  readonly state: 'free' | 'throttled' | 'foreign';
  /** The enforced rate; null unless throttled. */
  readonly rateBps: number | null;
  readonly leaseEndsInS: number | null;
  readonly owner: string | null;
  /** A keeper had to restore this link since the last level was set. */
  readonly expired: boolean;
  /** A keeper lives that will restore the link at the lease's end, or nobody but root could see it. */
  readonly keeper: boolean;
  /** The host's uptime when this was read, seconds. */
  readonly uptimeS: number;
  /** Bytes of the whole interface since boot. */
  readonly interfaceBytes: { readonly out: number; readonly in: number };
  readonly classes: { readonly out: ClassCounters; readonly in: ClassCounters } | null;
  /** The first line of `tc qdisc`, for messages about foreign qdiscs. */
  readonly qdisc: string;
}

/**
 * Reads the report of `predict-agent link` (with the output of `tc -s class`, plain text: JSON is not to be had everywhere).
 * Errors: `infrastructure`, naming the host, when it is not whole or a figure in it is no number.
 */
export function readState(host: string, text: string): LinkState {
  const section = (name: string): string => {
    const start = text.indexOf(`@${name}\n`);
    if (start < 0) return '';
    const rest = text.slice(start + name.length + 2);
    const end = rest.search(/^@/m);
    return end < 0 ? rest : rest.slice(0, end);
  };
  const value = (name: string): string => new RegExp(`^@${name} (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const name = value('interface');
  const state = STATES.get(value('state'));
  if (!name || !state) {
    throw infrastructure(`${host}: the state of the data link could not be read; tc printed: ${text.slice(0, 200)}`, {
      host,
    });
  }
  const figure = (what: string, printed: string): number => {
    if (/^\d{1,18}(\.\d+)?$/.test(printed)) return Number(printed);
    throw infrastructure(
      `${host}: the state of ${name} has the ${what} '${printed.slice(0, 40)}', which is not a number: check 'predict throttle show'.`,
      { host },
    );
  };
  const qdiscs = section('qdisc').trim();
  const [out, back] = [
    classCounters(section('class out'), qdiscs),
    classCounters(section('class in'), section('qdisc in')),
  ];
  const uptimeS = figure('uptime', value('uptime'));
  const deadline = value('deadline');
  const [outBytes = '', inBytes = ''] = value('bytes').split(' ');
  const endsInS = deadline === '' ? null : Number((figure('deadline', deadline) - uptimeS).toFixed(2));
  return {
    interface: name,
    state,
    rateBps: state === 'throttled' ? (out?.rateBps ?? null) : null,
    leaseEndsInS: state === 'throttled' ? endsInS : null,
    owner: value('owner') || null,
    expired: /^@expired$/m.test(text),
    keeper: ['running', 'unseen'].includes(value('keeper')),
    uptimeS,
    interfaceBytes: { out: figure('bytes sent', outBytes), in: figure('bytes received', inBytes) },
    classes: out && back ? { out, in: back } : null,
    qdisc: at(qdiscs.split('\n'), 0),
  };
}

/** Whose the link is, in the words of the agent. */
const STATES: ReadonlyMap<string, LinkState['state']> = new Map([
  ['free', 'free'],
  ['ours', 'throttled'],
  ['foreign', 'foreign'],
]);

/** Each a thousand of the one before. */
const RATE_PREFIXES = ['', 'K', 'M', 'G', 'T'];

/** The throttled class in the text of `tc -s class show`; null when it is not there. `root` is the qdisc above, which counts what queues below the class dropped. */
export function classCounters(text: string, root: string): ClassCounters | null {
  const start = text.indexOf(`class htb ${THROTTLED_CLASS} `);
  if (start < 0) return null;
  const block = at(text.slice(start).split(/\n(?=class )/), 0);
  const rate = /\brate (\d{1,15}(?:\.\d+)?)([KMGT]?)bit/.exec(block);
  const sent = /Sent (\d{1,18}) bytes \d+ pkts? \(dropped \d{1,18}, overlimits (\d{1,18})/.exec(block);
  if (!rate || !sent) return null;
  return {
    rateBps: Number(rate[1]) * 1e3 ** RATE_PREFIXES.indexOf(at(rate, 2)),
    bytes: Number(sent[1]),
    drops: Number(/^qdisc htb .*\n Sent .*\(dropped (\d{1,18}),/.exec(root)?.[1] ?? 0),
    overlimits: Number(sent[2]),
  };
}

// Names that `predict-agent link` (agents/host/link-tree.c) gives on a throttled host, for reading what is there.

/** Devices (ifb) behind which what arrives is shaped: this and the interface's index. */
export const IFB_PREFIX = 'predict';
/** The class, under our root qdisc 7077:, that is held at the rate. */
const THROTTLED_CLASS = '7077:2';
