import { at } from '../../../base/lists.ts';
import type { ProfileBuilder } from './profile-builder.ts';

/** A call by its ends, in any unit of time. */
export interface Call {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Adds the own time of each call of one thread under those that it lies in: what its callees take is not its own. Of two calls
 * with the same ends the earlier in the list is the caller. What is added is in `divisor` units of their times. One that ends after its caller is cut at that end, and counted.
 */
export function nestCalls(calls: readonly Call[], builder: ProfileBuilder, divisor: number): void {
  const sorted = [...calls].sort((one, other) => one.from - other.from || other.to - one.to);
  const stack: { readonly to: number; own: number }[] = [];
  const names: string[] = [];
  const leave = (before: number): void => {
    while (stack.length > 0 && at(stack, stack.length - 1).to <= before) {
      const { own } = at(stack, stack.length - 1);
      if (own > 0) builder.add(names, own / divisor);
      stack.pop();
      names.pop();
    }
  };
  for (const { name, from, to } of sorted) {
    leave(from);
    const caller = stack[stack.length - 1];
    if (caller !== undefined && to > caller.to) builder.problems.add('call that ends later than its caller', 0);
    const end = caller === undefined ? to : Math.min(to, caller.to);
    if (caller !== undefined) caller.own -= end - from;
    stack.push({ to: end, own: end - from });
    names.push(name);
  }
  leave(Number.POSITIVE_INFINITY);
}
