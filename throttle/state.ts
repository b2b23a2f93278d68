import { infrastructure } from '../base/errors.ts';
import { at } from '../base/lists.ts';

/** Bytes that a host sent and received. */
export interface BothWays {
  readonly out: number;
  readonly in: number;
}

/** What the controller sent to a host over its connections so far, and received; a packet of either way counts once. */
export interface ControllerTraffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly packets: number;
}

/** Counters of one direction's throttled class, cumulative. */
interface ClassCounters {
  readonly rateBps: number;
  readonly bytes: number;
  readonly packets: number;
  /** What waits in the class, bytes. */
  readonly backlogBytes: number;
  readonly drops: number;
  readonly overlimits: number;
}

/** What is on a host's data link, as `predict-agent link` reports it. */
export interface LinkState {
  readonly interface: string;
  readonly state: 'free' | 'throttled' | 'foreign';
  /** The enforced rate; null unless throttled. */
  readonly rateBps: number | null;
  /** What is added to each message that is sent, ms: 0 for none, -1 where it differs from flow to flow. */
  readonly latencyMs: number;
  readonly leaseEndsInS: number | null;
  readonly owner: string | null;
  /** A keeper had to restore this link since the last level was set. */
  readonly expired: boolean;
  /** A keeper lives that will restore the link at the lease's end, or nobody but root could see it. */
  readonly keeper: boolean;
  /** The host's uptime when this was read, seconds. */
  readonly uptimeS: number;
  /** Whether the kernel can add latency, where that was asked and could be found out. */
  readonly netem?: boolean;
  /** Bytes of the whole interface since boot. */
  readonly interfaceBytes: BothWays;
  /** Bytes since boot of links below the interface, by name: members of its bond, the device that its VLAN stands on. */
  readonly belowBytes: ReadonlyMap<string, BothWays>;
  /** The same of all other interfaces of the host that carry bytes of their own, loopback not among them. */
  readonly otherBytes: ReadonlyMap<string, BothWays>;
  readonly classes: { readonly out: ClassCounters; readonly in: ClassCounters } | null;
  /** Bytes of the class that is not throttled; null unless throttled. */
  readonly freeBytes: BothWays | null;
  /** The controller's own traffic with the host when it asked for this reading, and when it had it. */
  readonly controller?: { readonly asked: ControllerTraffic; readonly answered: ControllerTraffic };
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
  const [outText, backText] = [section('class out'), section('class in')];
  const [out, back] = [classCounters(outText, qdiscs), classCounters(backText, section('qdisc in'))];
  const [freeOut, freeBack] = [sentBytes(outText, FREE_CLASS), sentBytes(backText, FREE_CLASS)];
  /** Of each interface in lines such as `@other eth1 100 200`. */
  const listed = (key: string): ReadonlyMap<string, BothWays> =>
    new Map(
      [...text.matchAll(new RegExp(`^@${key} (\\S+) (\\S*) ?(.*)$`, 'gm'))].map(
        ([, link = '', sent = '', received = '']) => [
          link,
          { out: figure(`bytes sent by ${link}`, sent), in: figure(`bytes received by ${link}`, received) },
        ],
      ),
    );
  const uptimeS = figure('uptime', value('uptime'));
  const latency = value('latency');
  const deadline = value('deadline');
  const [outBytes = '', inBytes = ''] = value('bytes').split(' ');
  const endsInS = deadline === '' ? null : Number((figure('deadline', deadline) - uptimeS).toFixed(2));
  return {
    interface: name,
    state,
    rateBps: state === 'throttled' ? (out?.rateBps ?? null) : null,
    latencyMs: latency === '' ? 0 : latency === '-1' ? -1 : figure('latency', latency),
    leaseEndsInS: state === 'throttled' ? endsInS : null,
    owner: value('owner') || null,
    expired: /^@expired$/m.test(text),
    keeper: ['running', 'unseen'].includes(value('keeper')),
    uptimeS,
    ...(['yes', 'no'].includes(value('netem')) && { netem: value('netem') === 'yes' }),
    interfaceBytes: { out: figure('bytes sent', outBytes), in: figure('bytes received', inBytes) },
    belowBytes: listed('below'),
    otherBytes: listed('other'),
    classes: out && back ? { out, in: back } : null,
    freeBytes: freeOut === null || freeBack === null ? null : { out: freeOut, in: freeBack },
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

/** The part of the text of `tc -s class show` that is about one class; null when it is not there. */
function classBlock(text: string, name: string): string | null {
  const start = text.indexOf(`class htb ${name} `);
  return start < 0 ? null : at(text.slice(start).split(/\n(?=class )/), 0);
}

/**
 * The throttled class in the text of `tc -s class show`; null when it is not there. `root` is the qdisc above, which counts what
 * queues below the class dropped, and has what waits in them.
 */
export function classCounters(text: string, root: string): ClassCounters | null {
  const block = classBlock(text, THROTTLED_CLASS);
  if (block === null) return null;
  const rate = /\brate (\d{1,15}(?:\.\d+)?)([KMGT]?)bit/.exec(block);
  const sent = /Sent (\d{1,18}) bytes (\d{1,18}) pkts? \(dropped \d{1,18}, overlimits (\d{1,18})/.exec(block);
  if (!rate || !sent) return null;
  const [, drops = '0', waiting = '0', prefix = ''] =
    /^qdisc htb .{1,200}\n Sent \d{1,18} bytes \d{1,18} pkts? \(dropped (\d{1,18}), .{1,100}\n backlog (\d{1,15})([KMG]?)b /.exec(
      root,
    ) ?? [];
  return {
    rateBps: Number(rate[1]) * 1e3 ** RATE_PREFIXES.indexOf(at(rate, 2)),
    bytes: Number(sent[1]),
    packets: Number(sent[2]),
    backlogBytes: Number(waiting) * 1024 ** RATE_PREFIXES.indexOf(prefix),
    drops: Number(drops),
    overlimits: Number(sent[3]),
  };
}

function sentBytes(text: string, name: string): number | null {
  const sent = /^ Sent (\d{1,18}) bytes /m.exec(classBlock(text, name) ?? '');
  return sent ? Number(sent[1]) : null;
}

// Names that `predict-agent link` (agents/host/link-tree.c) gives on a throttled host, for reading what is there.

/** Devices (ifb) behind which what arrives is shaped: this and the interface's index. */
export const IFB_PREFIX = 'predict';
/** The class, under our root qdisc 7077:, that is held at the rate. */
const THROTTLED_CLASS = '7077:2';
/** The class of all that is not throttled: the SSH port, and what is not of the data network. */
const FREE_CLASS = '7077:1';
