// speedscope's own format, sampled and evented. https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources

import { z } from 'zod';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { joinWords } from '../../../base/text.ts';
import type { ProfileUnit } from '../tree/call-profile.ts';
import { type CallTree, type NameTable, ROOT } from '../tree/call-tree.ts';
import { NestedCalls } from './nested-calls.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import { hasKeys, type ProfileFile } from './profile-file.ts';

const unitSchema = z.enum(['none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes']);
const head = { name: z.string().default(''), unit: unitSchema };
const index = z.int().min(0);
const sampledSchema = z.object({
  ...head,
  type: z.literal('sampled'),
  samples: z.array(z.array(index)),
  weights: z.array(z.number().min(0)),
});
const eventedSchema = z.object({
  ...head,
  type: z.literal('evented'),
  events: z.array(z.object({ type: z.enum(['O', 'C']), at: z.number(), frame: index })),
});
const fileSchema = z.object({
  shared: z.object({ frames: z.array(z.object({ name: z.string() })) }),
  profiles: z.array(z.discriminatedUnion('type', [sampledSchema, eventedSchema])),
});
type Evented = z.infer<typeof eventedSchema>;

const UNITS: Readonly<Record<z.infer<typeof unitSchema>, { readonly unit: ProfileUnit; readonly divisor: number }>> = {
  none: { unit: 'samples', divisor: 1 },
  nanoseconds: { unit: 'seconds', divisor: 1e9 },
  microseconds: { unit: 'seconds', divisor: 1e6 },
  milliseconds: { unit: 'seconds', divisor: 1e3 },
  seconds: { unit: 'seconds', divisor: 1 },
  bytes: { unit: 'bytes', divisor: 1 },
};

/** All profiles of a file (one per thread) together; where they are in several units, those of the unit that `value` names. */
export function readSpeedscope(file: ProfileFile, options: ReadOptions): ReadProfile | null {
  const json = file.json();
  if (!hasKeys(json, 'shared', 'profiles')) return null;
  const { shared, profiles } = file.parsed(fileSchema, json, 'a file of speedscope');
  const units = [...new Set(profiles.map(({ unit }) => UNITS[unit].unit))];
  const wanted = options.value ?? (units.length === 1 ? units[0] : undefined);
  const chosen = profiles.filter(({ unit }) => UNITS[unit].unit === wanted);
  if (chosen.length === 0 || wanted === undefined) {
    if (units.length === 0) throw badInput(`${file.path} has no profile: record again.`);
    throw badInput(`${file.path} has profiles in ${joinWords(units)}: choose one with --value.`);
  }
  const builder = new ProfileBuilder(options);
  for (const profile of chosen) {
    const refuse = (why: string): Error => badInput(`${file.path}, profile '${profile.name}': ${why}.`);
    const nameOf = (frame: number): string => {
      const found = shared.frames[frame];
      if (found === undefined) throw refuse(`it refers to frame ${frame} of ${shared.frames.length}`);
      return found.name;
    };
    const { divisor } = UNITS[profile.unit];
    if (profile.type === 'evented') addEvents(profile, builder, { nameOf, refuse });
    else {
      if (profile.samples.length !== profile.weights.length) {
        throw refuse(`it has ${profile.samples.length} samples and ${profile.weights.length} weights`);
      }
      for (const [row, stack] of profile.samples.entries()) {
        builder.add(stack.map(nameOf), at(profile.weights, row) / divisor);
      }
    }
  }
  if (builder.isEmpty) throw badInput(`${file.path} has no samples: record again, for longer.`);
  // Weights without a unit that are not whole, as those of a mean, are no samples.
  const isWhole = chosen.every(
    ({ unit, ...one }) => unit !== 'none' || !('weights' in one) || one.weights.every(Number.isInteger),
  );
  return builder.build(file.path, isWhole ? UNITS[at(chosen, 0).unit].unit : 'count');
}

/** Frames open and close in the order of time, one within the other: what passes between two events is the innermost one's own. */
function addEvents(
  { events, unit }: Evented,
  builder: ProfileBuilder,
  { nameOf, refuse }: { readonly nameOf: (frame: number) => string; readonly refuse: (why: string) => Error },
): void {
  const open: number[] = [];
  const calls = new NestedCalls(builder, UNITS[unit].divisor);
  let now = Number.NEGATIVE_INFINITY;
  for (const [row, { type, at: time, frame }] of events.entries()) {
    if (time < now) throw refuse(`event ${row + 1} is earlier than the previous one`);
    now = time;
    if (type === 'O') {
      open.push(frame);
      calls.open(nameOf(frame), time);
    } else {
      calls.close(time);
      if (open.pop() === frame) continue;
      throw refuse(`event ${row + 1} closes '${nameOf(frame)}', which is not the innermost open frame`);
    }
  }
  if (open.length > 0) throw refuse(`${open.length} frames are open at the end, so it is truncated`);
}

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
    profiles: [
      {
        type: 'sampled',
        name: key,
        unit: unit === 'seconds' || unit === 'bytes' ? unit : 'none',
        startValue: 0,
        endValue,
        samples,
        weights,
      },
    ],
  });
}
