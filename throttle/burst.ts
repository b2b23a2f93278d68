import type { BitsPerSecond } from '../base/units.ts';

/**
 * The burst of a token bucket (htb) at a rate, in bytes: what it lets pass unshaped after a pause, so it is kept short. 4 ms
 * at the rate up to 128 KiB (two GSO packets), 1 ms where that is more, and never less than a dozen packets.
 */
export function burstBytes(rateBps: BitsPerSecond): number {
  const bytesIn = (seconds: number): number => Math.round((rateBps / 8) * seconds);
  return Math.max(bytesIn(0.001), Math.min(131_072, bytesIn(0.004)), 18_168);
}
