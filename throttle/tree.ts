/** Names that `predict-agent link` (agents/host/link-tree.c) gives on a throttled host, for reading what is there. */

/** Devices (ifb) behind which what arrives is shaped: this and the interface's index. */
export const IFB_PREFIX = 'predict';
/** The class, under our root qdisc 7077:, that is held at the rate. */
export const THROTTLED_CLASS = '7077:2';
