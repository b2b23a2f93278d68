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
    file: 'modeling/judge/describe-fit.ts',
    from: 'law.bytes *',
    to: '2 * law.bytes *',
  },
  {
    what: 'drift cells are explained as measurements',
    file: 'analysis/explain-campaign.ts',
    from: "({ cell }) => cell.role === 'measure'",
    to: '() => true',
  },
  {
    what: 'every error of an explained run is swallowed',
    file: 'analysis/sources/runs/made-of-runs.ts',
    from: 'if (!isNothingToExplain(error)) throw error;',
    to: 'if (!(error instanceof Error)) throw error;',
  },
  {
    what: 'warnings of explained runs are dropped from the report',
    file: 'report/content/why-content.ts',
    from: '...runs.flatMap(({ warnings }) => warnings), ',
    to: '',
  },
  {
    what: 'more nodes are said to help although fewer were measured to be faster',
    file: 'report/answers/more-nodes.ts',
    from: 'turn === null && isSlower',
    to: 'false',
  },
  {
    what: 'models and Grade10 are said to agree where they do not',
    file: 'report/answers/limit.ts',
    from: 'if (byModel !== byGrade10) {',
    to: 'if (false) {',
  },
  {
    what: 'nodes are advised to be bought although the interval holds that they save nothing',
    file: 'report/answers/more-nodes.ts',
    from: 'if (low < WORTH || hasTurned)',
    to: 'if (value < WORTH || hasTurned)',
  },
  {
    what: 'a model that has no prediction for what was measured is asked for more nodes',
    file: 'report/answers/basis.ts',
    from: "if (answered[0] === null) return none('no model describes the largest measured cluster');",
    to: '',
  },
  {
    what: 'a model whose blind predictions were wrong recommends',
    file: 'report/answers/basis.ts',
    from: 'if (ensemble.doubt !== null) return none(ensemble.doubt);',
    to: '',
  },
  {
    what: 'the bandwidth needed leaves out what was measured',
    file: 'modeling/answers/needed-bandwidth.ts',
    from: '[both(low, Math.min), both(high, Math.max)]',
    to: '[low, high]',
  },
  {
    what: 'less bandwidth than was ever measured is said to be enough',
    file: 'modeling/answers/needed-bandwidth.ts',
    from: '{ ...configuration, least: lowest }',
    to: 'configuration',
  },
  {
    what: 'parts that do not add up to the prediction are forecast beside it',
    file: 'report/content/forecasts.ts',
    from: 'if (sum >= low && sum <= high) return true;',
    to: 'return true;',
  },
  {
    what: 'an all-to-all, of which one node sends nothing, has no use for a second node',
    file: 'modeling/answers/decide/diminishing.ts',
    from: 'while (place >= 0 && excess(nodesAt(place)) > 0) place -= 1;',
    to: 'if (excess(nodesAt(0)) > 0) place = -1; else while (place >= 0 && excess(nodesAt(place)) > 0) place -= 1;',
  },
  {
    what: 'node counts that were added later are not left out of the blind choice',
    file: 'report/answers/basis.ts',
    from: 'added > 0 ? added : ',
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
  {
    what: 'a level whose renewal failed is still believed',
    file: 'orchestrator/cell/link-keeper.ts',
    from: 'if (!kept) this.doubt();',
    to: '',
  },
  {
    what: 'links stay throttled after a sweep',
    file: 'orchestrator/run-sweep.ts',
    from: 'run: () => groups.releaseLinks(),',
    to: 'run: () => Promise.resolve(),',
  },
  {
    what: 'a run after a doubtful one believes the level',
    file: 'orchestrator/cell/run-cell.ts',
    from: 'if (doubt !== null) links.doubt();',
    to: '',
  },
  {
    what: 'a cell that was given up is never queued again',
    file: 'orchestrator/queue/cell-queue.ts',
    from: 'removeOnFail: true',
    to: 'removeOnFail: false',
  },
  {
    what: 'a second try loses its place in the plan',
    file: 'orchestrator/queue/cell-queue.ts',
    from: ', priority: Math.min(place + 1, LAST_PLACE)',
    to: '',
  },
  {
    what: 'an event is written behind a line that was cut off',
    file: 'experiments/store/campaign-events.ts',
    from: "torn ? '\\n\\n' : ''",
    to: "''",
  },
  {
    what: 'a file of a cell is believed by its size',
    file: 'experiments/store/inspect-cells.ts',
    from: 'sha256 === wanted.sha256 ? null',
    to: 'sha256 !== null ? null',
  },
  {
    what: 'an edited record is believed',
    file: 'experiments/store/inspect-cells.ts',
    from: 'record.schema === 2 && !isSealed(data)',
    to: 'record.schema === 2 && data === null',
  },
  {
    what: 'two sweeps fill one campaign folder',
    file: 'experiments/store/lock.ts',
    from: 'if (!(await lockFile(',
    to: 'if (false && !(await lockFile(',
  },
  {
    what: 'a time-out ends nothing where the login shell is dash',
    file: 'orchestrator/ssh/run-command.ts',
    from: '`kill -s ',
    to: '`kill -',
  },
];
