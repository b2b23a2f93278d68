import type { CellRecord } from '../../../experiments/index.ts';

/** Turns a host's time stamps into those of the first host's clock. */
export interface Clocks {
  readonly correct: (host: string, ns: number) => number;
  /** Hosts whose clocks are further apart from the first host's than `ns`. */
  readonly apart: (ns: number) => readonly string[];
}

/** Only differences larger than the bounds of their own measurement are corrected. */
export function clocksOf({ clocks, hosts }: CellRecord): Clocks {
  const base = clocks.find(({ host }) => host === hosts[0]);
  const offsets = new Map(
    clocks.map(({ host, offsetNs, errorNs }) => {
      const offset = offsetNs - (base?.offsetNs ?? 0);
      return [host, Math.abs(offset) > errorNs + (base?.errorNs ?? 0) ? offset : 0];
    }),
  );
  return {
    correct: (host, ns) => Math.round(ns - (offsets.get(host) ?? 0)),
    apart: (ns) => [...offsets].filter(([, offset]) => Math.abs(offset) > ns).map(([host]) => host),
  };
}
