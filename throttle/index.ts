export { imbalanceOf, unnoticedBps } from './balance.ts';
export { burstBytes } from './burst.ts';
export { judgeFreeProbes, rateDoubt } from './free-links.ts';
export { judgeProbes, judgeRun, linkUse } from './proof.ts';
export { clearScript, type DataLink, type Lease, renewScript, SCRIPT_EXIT, setScript, showScript } from './script.ts';
export { classCounters, type LinkState, readState } from './state.ts';
export { addTree, changeTree, IFB_PREFIX, rateClass, redirectIngress, type Tree } from './tree.ts';
