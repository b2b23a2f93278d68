// speedscope's own format, a sampled profile. https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
import { at } from '../../../base/lists.ts';
import type { ProfileUnit } from '../tree/call-profile.ts';
import { type CallTree, type NameTable, ROOT } from '../tree/call-tree.ts';

const UNITS: Readonly<Record<ProfileUnit, string>> = {
  seconds: 'seconds',
  bytes: 'bytes',
  samples: 'none',
  objects: 'none',
  count: 'none',
};

/** A tree for speedscope: a sample for each node with a value of its own. */
export function toSpeedscope(
  tree: CallTree,
  { names, key, unit }: { readonly names: NameTable; readonly key: string; readonly unit: ProfileUnit },
): string {
  const used = [...new Set(tree.name.subarray(ROOT + 1))];
  const place = new Map(used.map((name, index) => [name, index]));
  const samples: number[][] = [];
  const weights: number[] = [];
  for (let node = ROOT + 1; node < tree.name.length; node += 1) {
    if (at(tree.own, node) === 0) continue;
    const stack: number[] = [];
    for (let now = node; now !== ROOT; now = at(tree.parent, now)) stack.push(place.get(at(tree.name, now)) ?? 0);
    samples.push(stack.reverse());
    weights.push(at(tree.own, node));
  }
  const endValue = weights.reduce((sum, weight) => sum + weight, 0);
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    exporter: 'predict',
    name: key,
    activeProfileIndex: 0,
    shared: { frames: used.map((name) => ({ name: names.text(name) })) },
    profiles: [{ type: 'sampled', name: key, unit: UNITS[unit], startValue: 0, endValue, samples, weights }],
  });
}
