// Events of Timely traces from any JSON line, whatever its spaces and the order of its keys; the reader's slow way.
import { z } from 'zod';
import type { Addresses } from './addresses.ts';
import { EVENT, type EventSink, NO_WIRE, type TimelyEvent } from './event.ts';

const whole = z.int();
const small = z
  .int()
  .min(-1)
  .max(2 ** 31 - 1);
const address = z.array(small);
const wire = small.nullish().transform((channel) => channel ?? NO_WIRE);
const ends = { comm_channel: wire, source: small, target: small, seq_no: whole };

const SHAPES = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Operates'), id: small, addr: address, name: z.string() }),
  z.object({ type: z.literal('Channels'), id: small, scope_addr: address, source: address, target: address }),
  z.object({
    type: z.literal('Schedule'),
    id: small,
    start_stop: z.enum(['Start', 'Stop']),
    activity: z.boolean().nullish(),
  }),
  z.object({ type: z.literal('PushProgress'), op_id: small }),
  z.object({ type: z.literal('Messages'), is_send: z.boolean(), channel: small, ...ends, length: whole }),
  z.object({
    type: z.literal('Progress'),
    is_send: z.boolean(),
    addr: address,
    comm_channel: wire,
    source: small,
    seq_no: whole,
  }),
  z.object({
    type: z.literal('Communication'),
    process: small,
    peer: small,
    is_send: z.boolean(),
    ...ends,
  }),
  z.object({ type: z.literal('Application'), id: small, is_start: z.boolean() }),
  z.object({ type: z.literal('GuardedMessage') }),
  z.object({ type: z.literal('GuardedProgress') }),
  z.object({ type: z.literal('Park'), event: z.enum(['Park', 'Unpark']) }),
  z.object({ type: z.literal('CommChannels') }),
  z.object({ type: z.literal('Shutdown'), id: small }),
]);
type Shape = z.infer<typeof SHAPES>;
const HEAD = z.object({ t: whole, w: small, type: z.string() });
const TYPES: ReadonlySet<string> = new Set(SHAPES.options.map((option) => option.shape.type.value));

/** Whether a text is an event of a Timely trace, of a type that is known or not. */
export function isTimelyLine(text: string): boolean {
  return HEAD.safeParse(jsonOf(text)).success;
}

/** Hands the event of a line to `sink`, or what is wrong with it: `unreadable line`, `unknown event type`, `incomplete event`. */
export function parseLine(text: string, to: { event: TimelyEvent; sink: EventSink; addresses: Addresses }): void {
  const { event, sink } = to;
  const value = jsonOf(text);
  const head = HEAD.safeParse(value);
  if (!head.success) {
    sink.problem(value === undefined ? 'unreadable line' : 'incomplete event', event.line);
    return;
  }
  if (!TYPES.has(head.data.type)) {
    sink.problem('unknown event type', event.line);
    return;
  }
  const read = SHAPES.safeParse(value);
  if (!read.success) {
    sink.problem('incomplete event', event.line);
    return;
  }
  event.t = head.data.t;
  event.worker = head.data.w;
  fill(read.data, to);
}

function fill(
  shape: Shape,
  { event, sink, addresses }: { event: TimelyEvent; sink: EventSink; addresses: Addresses },
): void {
  if ('id' in shape) event.id = shape.id;
  if ('seq_no' in shape) {
    event.wire = shape.comm_channel;
    event.source = shape.source;
    event.sequence = shape.seq_no;
  }
  if ('target' in shape && 'seq_no' in shape) event.target = shape.target;
  event.kind = kindOf(shape);
  if (shape.type === 'Operates') {
    sink.declare(event, { name: shape.name, address: shape.addr, source: [], target: [] });
    return;
  }
  if (shape.type === 'Channels') {
    sink.declare(event, { name: '', address: shape.scope_addr, source: shape.source, target: shape.target });
    return;
  }
  if (shape.type === 'Messages') {
    event.id = shape.channel;
    event.records = shape.length;
  }
  if (shape.type === 'Progress') event.id = addresses.number(shape.addr);
  if (shape.type === 'PushProgress') event.id = shape.op_id;
  if (shape.type === 'Communication') {
    event.process = shape.process;
    event.peer = shape.peer;
  }
  sink.event(event);
}

function kindOf(shape: Shape): number {
  switch (shape.type) {
    case 'Operates':
      return EVENT.operates;
    case 'Channels':
      return EVENT.channels;
    case 'Schedule':
      if (shape.start_stop === 'Start') return EVENT.scheduleStart;
      if (typeof shape.activity !== 'boolean') return EVENT.stopUnflagged;
      return shape.activity ? EVENT.stopActive : EVENT.stopIdle;
    case 'PushProgress':
      return EVENT.push;
    case 'Messages':
      return shape.is_send ? EVENT.dataSend : EVENT.dataRead;
    case 'Progress':
      return shape.is_send ? EVENT.progressSend : EVENT.progressRead;
    case 'Communication':
      return shape.is_send ? EVENT.wireSend : EVENT.wireReceive;
    case 'Application':
      return shape.is_start ? EVENT.applicationStart : EVENT.applicationStop;
    case 'GuardedMessage':
      return EVENT.guardedMessage;
    case 'GuardedProgress':
      return EVENT.guardedProgress;
    case 'Park':
      return shape.event === 'Park' ? EVENT.park : EVENT.unpark;
    case 'CommChannels':
      return EVENT.commChannels;
    case 'Shutdown':
      return EVENT.shutdown;
  }
}

/** Undefined where a text is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
