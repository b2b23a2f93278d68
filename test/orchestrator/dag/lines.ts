import { parseAgentLine } from '../../../orchestrator/dag/pipes/agent-lines.ts';
import { HostWatch } from '../../../orchestrator/dag/pipes/host-watch.ts';

/** A host of which an agent said these lines, their words divided by blanks. */
export function hostOf(name: string, lines: readonly string[]): HostWatch {
  const watch = new HostWatch(name, true);
  for (const text of lines) {
    const line = parseAgentLine(text.replaceAll(' ', '\t'));
    if (line === null) throw new Error(`no line of the agent: ${text}`);
    watch.take(line, 0);
  }
  return watch;
}

/** A process with its ends, that was seen 100 times: `busy` of them working, the others blocked on the first channel. */
export function processLines(
  pid: number,
  name: string,
  ends: readonly string[],
  { parent = 1, waits = [], holding = 0 }: { parent?: number; waits?: readonly string[]; holding?: number } = {},
): string[] {
  return [
    `process ${pid} 1 ${parent} ${name} ${name}`,
    ['ends', pid, ...ends].join(' '),
    `did ${pid} 100 0 0 0 ${holding} 0 0 - - 1`,
    ...waits.map((wait) => `waited ${pid} ${wait}`),
  ];
}
