import { MESSAGE_BYTES, type RankFile } from './read-file.ts';

export const MESSAGE_HEADER = 'worker,kind,t_ns,peer,bytes,id,done_ns,waited_ns,posted_ns';
const SEND = 1;

interface End {
  readonly file: RankFile;
  readonly at: number;
  readonly order: number;
}

/**
 * The messages of all ranks as lines of CSV, each end with the number of its message: of one communicator, sender, receiver and
 * tag the n-th send is the n-th receive in the order of posting (MPI 3.1, section 3.5). `unmatched`: ends without another.
 */
export function messagesOf(files: readonly RankFile[]): { readonly lines: string[]; readonly unmatched: number } {
  const channels = new Map<string, { readonly sends: End[]; readonly receives: End[] }>();
  for (const file of files) {
    const { records, rank } = file;
    for (let at = 0; at < file.count * MESSAGE_BYTES; at += MESSAGE_BYTES) {
      const peer = records.getInt32(at + 44, true);
      const isSend = records.getUint32(at + 52, true) === SEND;
      const way = isSend ? `${rank}>${peer}` : `${peer}>${rank}`;
      const key = `${records.getBigUint64(at + 32, true)}:${way}:${records.getInt32(at + 48, true)}`;
      const channel = channels.get(key) ?? { sends: [], receives: [] };
      channels.set(key, channel);
      (isSend ? channel.sends : channel.receives).push({ file, at, order: records.getUint32(at + 40, true) });
    }
  }
  const lines: string[] = [];
  let [id, unmatched] = [0, 0];
  for (const { sends, receives } of channels.values()) {
    for (const ends of [sends, receives]) {
      ends.sort((a, b) => a.order - b.order);
      for (const [index, end] of ends.entries()) lines.push(lineOf(end, id + index));
    }
    id += Math.max(sends.length, receives.length);
    unmatched += Math.abs(sends.length - receives.length);
  }
  return { lines, unmatched };
}

function lineOf({ file: { records, rank }, at }: End, id: number): string {
  const isSend = records.getUint32(at + 52, true) === SEND;
  const [timeNs, otherNs] = [records.getBigInt64(at, true), records.getBigInt64(at + 8, true)];
  const waitedNs = records.getBigInt64(at + 16, true);
  const bytes = records.getBigInt64(at + 24, true);
  const done = isSend && otherNs > 0n ? otherNs : '';
  return `${rank},${isSend ? 'send' : 'receive'},${timeNs},${records.getInt32(at + 44, true)},${bytes},${id},${done},${waitedNs},${isSend ? '' : otherNs}`;
}
