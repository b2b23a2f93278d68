export { type BullmqOptions, bullmqSource, parseQueues, type QueuePlace } from './bullmq/bullmq-source.ts';
export { type FlinkOptions, type FlinkReading, flinkSource } from './flink/flink-source.ts';
export { type AgentLine, parseAgentLine } from './pipes/agent-lines.ts';
export type { HostTask } from './pipes/agents.ts';
export type { LiveDetail } from './pipes/period-of.ts';
export { type PipesOptions, pipesSource } from './pipes/pipes-source.ts';
export type { DagEnd, DagListener, DagSource } from './source.ts';
