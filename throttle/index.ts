/** What a link may carry: the arguments of `predict-agent link`, and the proof that a run had its rate. What other rooms use of it; they import it from the file that defines it. */
export {
  burstBytes,
  clearCommand,
  type DataLink,
  type Lease,
  LINK_EXIT,
  type LinkLevel,
  linkArguments,
  netemCommand,
  renewCommand,
  setCommand,
  showCommand,
} from './link-command.ts';
export {
  acceptedLinks,
  isInBand,
  isRate,
  isShownLatency,
  judgeBalance,
  judgeFreeProbes,
  judgeLatency,
  judgeProbes,
  judgeRun,
  linkUse,
  PROBE_BAND,
  rateDoubt,
  unnoticedBps,
} from './proof.ts';
export { type ControllerTraffic, IFB_PREFIX, type LinkState, readState } from './state.ts';
