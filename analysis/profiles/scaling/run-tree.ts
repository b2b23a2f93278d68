import { own } from '../../../base/lists.ts';
import type { StackKind } from '../../../experiments/stacks/stack-columns.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import type { CallTree } from '../tree/call-tree.ts';
import type { NameTable } from '../tree/names.ts';
import type { ProfiledRun } from './profiled-run.ts';

/** A leaf that says what a rank did off the processor. */
export const KIND_LEAVES: Readonly<Partial<Record<StackKind, string>>> = { wait: '[asleep]', queued: '[no processor]' };

/** A run's stacks as a tree of seconds per rank and timed run. */
export function runTree({ stacks }: ProfiledRun, names: NameTable): CallTree {
  const builder = new CallTreeBuilder();
  for (const { frames, kind, seconds } of stacks) {
    const leaf = own(KIND_LEAVES, kind);
    let node = 0;
    for (const frame of leaf === undefined ? frames : [...frames, leaf]) node = builder.child(node, names.id(frame));
    builder.add(node, seconds);
  }
  return builder.finish();
}
