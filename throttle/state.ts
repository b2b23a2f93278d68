import { at, infrastructure } from '../base/index.ts';
import { THROTTLED_CLASS } from './tree.ts';

/** Counters of one direction's throttled class, cumulative. */
interface ClassCounters {
  readonly rateBps: number;
  readonly bytes: number;
  readonly drops: number;
  readonly overlimits: number;
}

/** What is on a host's data link, as the host-side scripts report it. */
export interface LinkState {
  readonly interface: string;
  readonly state: 'free' | 'throttled' | 'foreign';
  /** The enforced rate; null unless throttled. */
  readonly rateBps: number | null;
  readonly leaseEndsInS: number | null;
  readonly owner: string | null;
  /** A keeper had to restore this link since the last level was set. */
  readonly expired: boolean;
  /** The host's uptime when this was read, seconds. */
  readonly uptimeS: number;
  /** Bytes of the whole interface since boot. */
  readonly interfaceBytes: { readonly out: number; readonly in: number };
  readonly classes: { readonly out: ClassCounters; readonly in: ClassCounters } | null;
  /** The first line of `tc qdisc`, for messages about foreign qdiscs. */
  readonly qdisc: string;
}

/** Reads the report of a throttle script (the output of `tc -s class`, plain text: JSON is not to be had everywhere). */
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
  const qdiscs = section('qdisc').trim();
  const [out, back] = [classCounters(section('class out')), classCounters(section('class in'))];
  const uptimeS = Number(value('uptime'));
  const deadline = value('deadline');
  const [outBytes = 0, inBytes = 0] = value('bytes').split(' ').map(Number);
  const numbers = [uptimeS, outBytes, inBytes, Number(deadline), ...Object.values({ ...out, ...back })];
  const wrong = numbers.find((number) => !(number >= 0 && Number.isFinite(number)));
  if (wrong !== undefined || value('uptime') === '') {
    throw infrastructure(`${host}: the state of the data link has a number that is none: ${text.slice(0, 200)}`, {
      host,
    });
  }
  return {
    interface: name,
    state,
    rateBps: state === 'throttled' ? (out?.rateBps ?? null) : null,
    leaseEndsInS: state === 'throttled' && deadline ? Number((Number(deadline) - uptimeS).toFixed(2)) : null,
    owner: value('owner') || null,
    expired: /^@expired$/m.test(text),
    uptimeS,
    interfaceBytes: { out: outBytes, in: inBytes },
    classes: out && back ? { out, in: back } : null,
    qdisc: at(qdiscs.split('\n'), 0),
  };
}

/** Whose the link is, in the words of the script. */
const STATES: ReadonlyMap<string, LinkState['state']> = new Map([
  ['free', 'free'],
  ['ours', 'throttled'],
  ['foreign', 'foreign'],
]);

/** Each a thousand of the one before. */
const RATE_PREFIXES = ['', 'K', 'M', 'G', 'T'];

/** The throttled class in the text of `tc -s class show`; null when it is not there. */
export function classCounters(text: string): ClassCounters | null {
  const start = text.indexOf(`class htb ${THROTTLED_CLASS} `);
  if (start < 0) return null;
  const block = at(text.slice(start).split(/\n(?=class )/), 0);
  const rate = /\brate (\d+(?:\.\d+)?)([KMGT]?)bit/.exec(block);
  const sent = /Sent (\d+) bytes \d+ pkts? \(dropped (\d+), overlimits (\d+)/.exec(block);
  if (!rate || !sent) return null;
  return {
    rateBps: Number(rate[1]) * 1e3 ** RATE_PREFIXES.indexOf(at(rate, 2)),
    bytes: Number(sent[1]),
    drops: Number(sent[2]),
    overlimits: Number(sent[3]),
  };
}
