// Timely programs in miniature: workers schedule operators round robin, pass messages on and exchange progress, and log it.
import { mulberry32 } from '../../../../base/lists.ts';

export interface GeneratedTrace {
  readonly workers: number;
  readonly operators: number;
  /** At least so many events are made. */
  readonly events: number;
  /** How often the first operator of a worker makes something by itself, of its executions. */
  readonly input: number;
  /** How often an operator that got something passes it on, and how often to another worker. */
  readonly passOn: number;
  readonly exchange: number;
  /** Workers of one process; a network connects processes. All in one by default. */
  readonly perProcess?: number;
  readonly seed: number;
}

/** How often an operator does something because it is notified of progress. */
const NOTIFIED = 0.1;

interface Message {
  readonly arrival: number;
  readonly line: string;
}

interface Worker {
  clock: number;
  next: number;
  sinceProgress: boolean;
  /** Progress was read: operators may be notified in this round. */
  isNotified: boolean;
  progressNumber: number;
  /** By operator. */
  readonly inbox: Message[][];
  readonly progress: Message[];
}

/** Lines of a trace in order of time, in pieces. */
export function* generateTrace(options: GeneratedTrace): Generator<string> {
  const { workers: count, operators, events, input, passOn, exchange, seed } = options;
  const perProcess = options.perProcess ?? count;
  const random = mulberry32(seed);
  const numbers = new Map<string, number>();
  const waiting: { readonly t: number; readonly line: string }[] = [];
  let made = 0;
  const log = (t: number, worker: number, rest: string): void => {
    waiting.push({ t, line: `{"t":${t},"w":${worker},"type":"${rest}}` });
    made += 1;
  };
  const nextNumber = (key: string): number => {
    const number = numbers.get(key) ?? 0;
    numbers.set(key, number + 1);
    return number;
  };
  const isNetwork = (from: number, to: number): boolean =>
    Math.floor(from / perProcess) !== Math.floor(to / perProcess);
  /** When a message is there; what threads log of it on the way. */
  const carry = (t: number, ends: { wire: number; from: number; to: number; number: number }): number => {
    const { wire, from, to, number } = ends;
    if (!isNetwork(from, to)) return t;
    const [left, there] = [t + 5 + Math.floor(random() * 20), t + 40 + Math.floor(random() * 200)];
    const [source, target] = [Math.floor(from / perProcess), Math.floor(to / perProcess)];
    const tail = `"comm_channel":${wire},"source":${from},"target":${to},"seq_no":${number}`;
    log(left, -1, `Communication","process":${source},"thread":"sender","peer":${target},"is_send":true,${tail}`);
    log(there, -1, `Communication","process":${target},"thread":"receiver","peer":${source},"is_send":false,${tail}`);
    return there;
  };
  const all = Array.from({ length: count }, (_, worker): Worker => {
    for (let id = 0; id < operators; id += 1) {
      log(1, worker, `Operates","id":${id},"addr":[${worker}, 0, ${id + 1}],"name":"Op${id}"`);
      log(
        1,
        worker,
        `Channels","id":${100 + id},"scope_addr":[${worker}, 0],"source":[${id},0],"target":[${id + 1},0]`,
      );
    }
    const inbox = Array.from({ length: operators }, () => []);
    return {
      clock: 10 + worker,
      next: 0,
      sinceProgress: false,
      isNotified: false,
      progressNumber: 0,
      inbox,
      progress: [],
    };
  });
  const send = (from: number, t: number, operator: number): void => {
    const to = random() < exchange ? Math.floor(random() * count) : from;
    const [wire, channel] = [isNetwork(0, count - 1) ? operator : null, 100 + operator];
    const number = nextNumber(`${channel} ${from} ${to}`);
    const ends = `"channel":${channel},"comm_channel":${wire},"source":${from},"target":${to},"seq_no":${number},"length":1`;
    log(t, from, `Messages","is_send":true,${ends}`);
    const arrival = carry(t, { wire: operator, from, to, number });
    all[to]?.inbox[operator]?.push({ arrival, line: `Messages","is_send":false,${ends}` });
  };
  /** One operator, or after the last one the exchange of progress. */
  const act = (worker: number, state: Worker): void => {
    let t = state.clock + 1 + Math.floor(random() * 5);
    if (state.next < operators) {
      const operator = state.next;
      log(t, worker, `Schedule","id":${operator},"start_stop":"Start"`);
      const started = t;
      const inbox = state.inbox[operator] ?? [];
      const arrived = inbox.filter(({ arrival }) => arrival <= started);
      state.inbox[operator] = inbox.filter(({ arrival }) => arrival > started);
      const isNotified = state.isNotified && random() < NOTIFIED;
      const isActive = arrived.length > 0 || isNotified || (operator === 0 && random() < input);
      for (const { line } of arrived) {
        t += 1 + Math.floor(random() * 4);
        log(t, worker, line);
        t += 10 + Math.floor(random() * 200);
        if (operator + 1 < operators && random() < passOn) send(worker, t, operator + 1);
      }
      if (isActive && arrived.length === 0) {
        t += 20 + Math.floor(random() * 300);
        if (operators > 1) send(worker, t, 1);
      }
      t += 1 + Math.floor(random() * 3);
      log(t, worker, `Schedule","id":${operator},"start_stop":"Stop","activity":${isActive}`);
      state.sinceProgress ||= isActive;
      state.next += 1;
      state.clock = t;
      return;
    }
    state.next = 0;
    const address = `"addr":[${worker}, 0]`;
    const wire = isNetwork(0, count - 1) ? 50 : null;
    const progress = (isSend: boolean, source: number, number: number): string =>
      `Progress","is_send":${isSend},"source":${source},"comm_channel":${wire},"seq_no":${number},${address}`;
    if (state.sinceProgress) {
      state.sinceProgress = false;
      const number = state.progressNumber;
      state.progressNumber += 1;
      log(t, worker, progress(true, worker, number));
      for (const [to, other] of all.entries()) {
        const arrival = carry(t, { wire: 50, from: worker, to, number });
        other.progress.push({ arrival, line: `${worker} ${number}` });
      }
    }
    const now = t;
    const read = state.progress.filter(({ arrival }) => arrival <= now);
    state.isNotified = read.length > 0;
    for (const message of read) {
      state.progress.splice(state.progress.indexOf(message), 1);
      const [source = 0, number = 0] = message.line.split(' ').map(Number);
      t += 1 + Math.floor(random() * 3);
      log(t, worker, progress(false, source, number));
    }
    if (read.length > 0 && random() < 0.5) {
      t += 1 + Math.floor(random() * 5);
      log(t, worker, `PushProgress","op_id":${Math.floor(random() * operators)}`);
    }
    state.clock = t;
  };
  while (made < events) {
    for (let turn = 0; turn < 1000 && made < events; turn += 1) {
      const worker = all.reduce((first, { clock }, index) => (clock < (all[first]?.clock ?? 0) ? index : first), 0);
      const state = all[worker];
      if (state !== undefined) act(worker, state);
    }
    const reached = Math.min(...all.map(({ clock }) => clock));
    waiting.sort((one, other) => one.t - other.t);
    let done = 0;
    while (done < waiting.length && (waiting[done]?.t ?? 0) < reached) done += 1;
    if (done > 0)
      yield `${waiting
        .splice(0, done)
        .map(({ line }) => line)
        .join('\n')}\n`;
  }
  if (waiting.length > 0) yield `${waiting.map(({ line }) => line).join('\n')}\n`;
}
