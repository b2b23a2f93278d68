// The four questions of Sager (2016), section 5.1.3, asked again at every idle execution, straight from the events: slow, and
// written without the analysis that it judges. One of the questions may be left out.
export interface NaiveWait {
  readonly worker: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly isInput: boolean;
}

interface Logged {
  readonly t: number;
  readonly w: number;
  readonly type: string;
  readonly id: number;
  readonly [key: string]: unknown;
}

interface Execution {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly stopAt: number;
  readonly id: number;
  readonly active: boolean;
}

export const QUESTIONS = ['active', 'buffered', 'operator later', 'progress later'] as const;
export type Question = (typeof QUESTIONS)[number];

export function naiveWaits(text: string, leftOut?: Question): NaiveWait[] {
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Logged);
  const workers = [...new Set(events.map(({ w }) => w))].filter((w) => w >= 0).sort((a, b) => a - b);
  return workers.flatMap((worker) => waitsOfWorker(events, worker, leftOut));
}

function waitsOfWorker(events: readonly Logged[], worker: number, leftOut: Question | undefined): NaiveWait[] {
  const log = events.filter(({ w }) => w === worker);
  const operators = log.filter(({ type }) => type === 'Operates').map(({ id }) => id);
  const executions = executionsOf(log);
  const arrivals = arrivalsOf(events, worker);
  const at = (type: string, also: (event: Logged) => boolean = () => true): number[] =>
    log.flatMap((event, index) => (event.type === type && also(event) ? [index] : []));
  const reads = at('Progress', (event) => event.is_send === false);
  const sends = at('Progress', (event) => event.is_send === true);
  const pushes = at('PushProgress');
  const time = (index: number): number => log[index]?.t ?? Number.NaN;
  const started = (id: number, after: number, before: number): boolean =>
    executions.some((one) => one.id === id && one.at > after && one.at < before);
  const haveAllStarted = (after: number, before: number): boolean =>
    operators.every((id) => started(id, after, before));
  /** Where the cause of each push and progress send lies in the log; the event itself without one. */
  const causeOfPush = (push: number): number => {
    const read = reads.filter((index) => index < push).at(-1) ?? -1;
    if (read >= 0 && !haveAllStarted(read, push)) return read;
    return pushes.find((index) => index > read && index < push && !haveAllStarted(index, push)) ?? push;
  };
  const activeBefore = (send: number): Execution[] =>
    executions.filter((one) => one.active && one.stopAt < send && !started(one.id, one.at, send));
  const outside = at('Messages', (event) => event.is_send === true).filter(
    (index) => !executions.some((one) => one.at < index && index < one.stopAt),
  );
  const news = [...reads, ...pushes];

  const answers = (t: number, here: number): boolean => {
    const buffered = arrivals.some(({ arrival, readAt }) => arrival <= t && readAt > here);
    const later = executions.some((one) => {
      if (!one.active || one.at <= here) return false;
      return news.some((index) => index < here && !started(one.id, index, one.at));
    });
    const progress =
      sends.some((send) => send > here && activeBefore(send).some(({ start }) => start <= t)) ||
      pushes.some((push) => push > here && causeOfPush(push) < here);
    const active = executions.some((one) => one.active && one.start <= t && t < one.end && one.at > here);
    const all: Readonly<Record<Question, boolean>> = {
      active,
      buffered,
      'operator later': later,
      'progress later': progress,
    };
    return QUESTIONS.some((question) => question !== leftOut && all[question]);
  };
  /** The first instant after `t` at which something begins that will matter, and whether it is a message of another worker. */
  const next = (t: number, here: number): { end: number; isInput: boolean } => {
    const messages = arrivals.filter(({ readAt, arrival }) => readAt > here && arrival > t && leftOut !== 'buffered');
    const own = [
      ...executions.filter((one) => one.active && one.at > here).map(({ start }) => start),
      ...[...outside, ...sends.filter((send) => activeBefore(send).length === 0)]
        .filter((index) => index > here)
        .map(time),
      ...pushes.filter((push) => push > here && causeOfPush(push) === push).map(time),
      ...(leftOut === 'buffered' ? reads.filter((index) => index > here).map(time) : []),
    ].filter((instant) => instant > t);
    const end = Math.min(...own, ...messages.map(({ arrival }) => arrival));
    return { end, isInput: !messages.some(({ arrival, source }) => arrival === end && source !== worker) };
  };

  const waits: NaiveWait[] = [];
  for (const { active, start, at: here } of executions) {
    if ((active && leftOut !== 'active') || answers(start, here)) continue;
    const { end, isInput } = next(start, here);
    const isSame = waits.at(-1)?.endNs === end;
    if (end < Number.POSITIVE_INFINITY && !isSame) waits.push({ worker, startNs: start, endNs: end, isInput });
  }
  return waits;
}

function executionsOf(log: readonly Logged[]): Execution[] {
  const last = log.at(-1)?.t ?? 0;
  return log.flatMap((event, at) => {
    if (event.type !== 'Schedule' || event.start_stop !== 'Start') return [];
    const stopAt = log.findIndex((other, index) => index > at && other.type === 'Schedule' && other.id === event.id);
    const stop = log[stopAt];
    const isOpen = stop === undefined || stop.start_stop !== 'Stop';
    const did = log.slice(at).some(({ type }) => type === 'Messages');
    const end = isOpen ? last : stop.t;
    return [
      {
        at,
        start: event.t,
        end,
        stopAt: isOpen ? log.length : stopAt,
        id: event.id,
        active: isOpen ? did : stop.activity === true,
      },
    ];
  });
}

/** Messages that a worker reads: when each was there, and where in the log it is read. One that came while the execution that reads it ran counts only from there on. */
function arrivalsOf(events: readonly Logged[], worker: number): { arrival: number; readAt: number; source: number }[] {
  const log = events.filter(({ w }) => w === worker);
  const executions = executionsOf(log);
  return log.flatMap((event, readAt) => {
    if (event.is_send !== false || (event.type !== 'Messages' && event.type !== 'Progress')) return [];
    const sent = events.find((other) => {
      if (other.type !== event.type || other.is_send !== true || other.source !== event.source) return false;
      if (other.seq_no !== event.seq_no) return false;
      return event.type === 'Progress' || (other.channel === event.channel && other.target === event.target);
    });
    if (sent === undefined) return [];
    const received = events.find(
      (other) =>
        other.type === 'Communication' &&
        other.is_send === false &&
        other.comm_channel === event.comm_channel &&
        other.source === event.source &&
        other.target === worker &&
        other.seq_no === event.seq_no,
    );
    const arrival = Math.max(sent.t, received?.t ?? sent.t);
    const during = executions.find((one) => one.at < readAt && readAt < one.stopAt);
    if (event.type === 'Messages' && during !== undefined && arrival > during.start) return [];
    return [{ arrival, readAt, source: Number(event.source) }];
  });
}
