/** What a link may carry: the arguments of `predict-agent link`, and the proof that a run had its rate. What other rooms use of it; they import it from the file that defines it. */
export { imbalanceOf, unnoticedBps } from './balance.ts';
export { burstBytes } from './burst.ts';
export { acceptedLinks, judgeFreeProbes, rateDoubt } from './free-links.ts';
export {
  clearCommand,
  type DataLink,
  type Lease,
  LINK_EXIT,
  linkArguments,
  renewCommand,
  setCommand,
  showCommand,
} from './link-command.ts';
export { isRate, judgeProbes, judgeRun, linkUse } from './proof.ts';
export { type LinkState, readState } from './state.ts';
export { IFB_PREFIX } from './tree.ts';
