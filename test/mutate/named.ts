/** Faults that once went unnoticed, or must never: always among the mutants. `from` stands once in the file. */
export interface NamedFault {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly what: string;
}

export const NAMED: readonly NamedFault[] = [
  {
    what: 'the volume in the sentence of a fit is doubled',
    file: 'modeling/judge/meaning.ts',
    from: 'volume.bytes *',
    to: '2 * volume.bytes *',
  },
  {
    what: 'drift cells are explained as measurements',
    file: 'analysis/explain-campaign.ts',
    from: "({ cell }) => cell.role === 'measure'",
    to: '() => true',
  },
  {
    what: 'every error of an explained run is swallowed',
    file: 'analysis/explain-campaign.ts',
    from: 'if (!isNothingToExplain(error)) throw error;',
    to: 'if (!(error instanceof Error)) throw error;',
  },
  {
    what: 'warnings of explained runs are dropped from the report',
    file: 'report/content/why.ts',
    from: '...runs.flatMap(({ warnings }) => warnings), ',
    to: '',
  },
  {
    what: 'the overhead in status is in ms',
    file: 'experiments/store/status.ts',
    from: '(timing.totalMs - timing.workloadMs) / 1000',
    to: 'timing.totalMs - timing.workloadMs',
  },
  {
    what: 'the rounds of an odd ring share a host',
    file: 'orchestrator/cell/probe-ring.ts',
    from: 'hosts.length % 2 === 1 ? pairs.length - 1 : pairs.length',
    to: 'pairs.length',
  },
  {
    what: 'a lease is never renewed',
    file: 'orchestrator/cell/link-keeper.ts',
    from: 'await renewLinks(this.#cluster, hosts, this.#lease)',
    to: 'await Promise.resolve()',
  },
];
