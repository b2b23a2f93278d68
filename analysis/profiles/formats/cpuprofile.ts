// V8's CPU profile. https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
import { z } from 'zod';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import { hasKeys, type ProfileFile } from './profile-file.ts';

const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string() }),
      hitCount: z.int().min(0).default(0),
      children: z.array(z.int()).default([]),
    }),
  ),
  startTime: z.number().optional(),
  endTime: z.number().optional(),
  samples: z.array(z.int()).optional(),
  timeDeltas: z.array(z.number()).optional(),
});
type Profile = z.infer<typeof profileSchema>;

/**
 * One sample each; with `value: 'seconds'` the time from a sample to the next. The root that V8 makes up is left out, a function without a name is
 * `(anonymous)`; `(program)`, `(idle)` and `(garbage collector)` are frames.
 */
export function readCpuProfile(file: ProfileFile, options: ReadOptions): ReadProfile | null {
  const { value = 'samples' } = options;
  const json = file.json();
  if (!hasKeys(json, 'nodes', 'samples') && !hasKeys(json, 'nodes', 'startTime')) return null;
  const profile = file.parsed(profileSchema, json, 'a CPU profile of V8');
  if (value !== 'samples' && value !== 'seconds') {
    throw badInput(`--value: a CPU profile of V8 holds samples and seconds, not ${value}.`);
  }
  const weights = value === 'seconds' ? secondsOf(file, profile) : hitsOf(profile);
  const frames = framesOf(file, profile);
  const builder = new ProfileBuilder(options);
  for (const [id, weight] of weights) {
    const stack = frames(id);
    if (stack.length > 0) builder.add(stack, weight);
  }
  const { startTime, endTime } = profile;
  const durationNs = startTime === undefined || endTime === undefined ? null : (endTime - startTime) * 1e3;
  return builder.build(file.path, value, { durationNs });
}

/** Samples by node. `hitCount` misses some of them: it counts only where there is no list. */
function hitsOf({ nodes, samples }: Profile): Map<number, number> {
  if (samples === undefined) {
    return new Map(nodes.filter(({ hitCount }) => hitCount > 0).map(({ id, hitCount }) => [id, hitCount]));
  }
  const hits = new Map<number, number>();
  for (const id of samples) hits.set(id, (hits.get(id) ?? 0) + 1);
  return hits;
}

/** Seconds by node: a sample stands for the time to the next one, the last for that to the end. */
function secondsOf(file: ProfileFile, { samples, timeDeltas, startTime, endTime }: Profile): Map<number, number> {
  if (samples === undefined || timeDeltas === undefined || startTime === undefined || endTime === undefined) {
    throw badInput(`${file.path} has no times: read its samples, without --value.`);
  }
  if (timeDeltas.length !== samples.length) {
    throw badInput(
      `${file.path} has ${samples.length} samples and ${timeDeltas.length} times: check whether it is damaged.`,
    );
  }
  const seconds = new Map<number, number>();
  let now = startTime;
  for (const [index, id] of samples.entries()) {
    now += at(timeDeltas, index);
    // Times between samples are below 0 where V8 took them on two threads.
    const length = Math.max(0, index + 1 < samples.length ? at(timeDeltas, index + 1) : endTime - now);
    seconds.set(id, (seconds.get(id) ?? 0) + length / 1e6);
  }
  return seconds;
}

/** The frames of a node by its id, outermost first. Errors: badInput for ids that are nowhere, twice, or above themselves. */
function framesOf(file: ProfileFile, { nodes }: Profile): (id: number) => readonly string[] {
  const wrong = (id: number, what: string) => {
    const place = file.bytes.toString('latin1').search(new RegExp(`"id"\\s*:\\s*${id}\\b`));
    return file.refuse(file.lineAt(Math.max(0, place)), `node ${id} ${what}`);
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) if (byId.get(node.id) !== node) throw wrong(node.id, 'occurs twice');
  const caller = new Map<number, number>();
  for (const { id, children } of nodes) {
    for (const child of children) {
      if (caller.has(child)) throw wrong(child, 'has two parents');
      caller.set(child, id);
    }
  }
  return (id) => {
    const frames: string[] = [];
    for (let now: number | undefined = id; now !== undefined; now = caller.get(now)) {
      const node = byId.get(now);
      if (node === undefined)
        throw badInput(`${file.path} has no node ${now}, which it refers to: check whether it is damaged.`);
      if (frames.length > nodes.length) throw wrong(id, 'is its own ancestor');
      const name = node.callFrame.functionName;
      if (name !== '(root)' || caller.has(now)) frames.push(name || '(anonymous)');
    }
    return frames.reverse();
  };
}
