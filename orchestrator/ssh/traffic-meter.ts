import type { Duplex } from 'node:stream';
import type { ControllerTraffic } from '../../throttle/state.ts';

/** What fits into a packet of 1500 bytes beside the headers of TCP over IPv6, at least. */
const PACKET_BYTES = 1400;

/**
 * Counts what passes the streams that carry SSH to one host, encrypted as it is: the part of the host's traffic that is the
 * controller's own. Packets are guessed: one for each piece that is written or read, and as many as a long one needs.
 */
export class TrafficMeter {
  #sentBytes = 0;
  #receivedBytes = 0;
  #packets = 0;

  get traffic(): ControllerTraffic {
    return { sentBytes: this.#sentBytes, receivedBytes: this.#receivedBytes, packets: this.#packets };
  }

  /** To be called once its reader has paused the stream, for a listener more must not set it going. */
  watch(stream: Duplex): void {
    stream.on('data', (data: Buffer) => {
      this.#receivedBytes += data.length;
      this.#packets += Math.ceil(data.length / PACKET_BYTES);
    });
    const write = stream.write.bind(stream);
    stream.write = ((data: Buffer, ...rest: []) => {
      this.#sentBytes += data.length;
      this.#packets += Math.ceil(data.length / PACKET_BYTES);
      return write(data, ...rest);
    }) as Duplex['write'];
  }
}
