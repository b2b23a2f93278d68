import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';

/** How often a phase type occurs under one parent: once, one after the other, or side by side. */
export type Repeat = 'none' | 'sequential' | 'concurrent';

/** The execution model's specification (section 4.3.1.2) as a tree; `after` names siblings that end before this one starts. */
export interface PhaseTypeSpec {
  readonly name: string;
  readonly repeat?: Repeat | undefined;
  readonly key?: string | undefined;
  readonly after?: readonly string[] | undefined;
  readonly children?: readonly PhaseTypeSpec[] | undefined;
}

/** The specification as columns, parents before children; the root is type 0 with the path `/`. */
export interface PhaseTypes {
  readonly count: number;
  readonly paths: readonly string[];
  readonly names: readonly string[];
  readonly repeats: readonly Repeat[];
  readonly keys: readonly (string | undefined)[];
  /** -1 for the root. */
  readonly parents: Int32Array;
  /** Child types of each type, each after all that precede it. */
  readonly children: readonly Uint32Array[];
  /** Siblings named in `after`. */
  readonly predecessors: readonly Uint32Array[];
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Checks a specification and lays it out as columns. Errors: badInput for names, duplicates, unknown or circular `after`. */
export function createPhaseTypes(root: PhaseTypeSpec): PhaseTypes {
  if (root.name !== '') {
    throw badInput(`The root of the execution model is named '${root.name}': leave its name empty, its path is /.`);
  }
  const specs: { spec: PhaseTypeSpec; path: string; parent: number }[] = [{ spec: root, path: '/', parent: -1 }];
  const indexOf = new Map([['/', 0]]);
  const children: Uint32Array[] = [];
  const predecessors: Uint32Array[] = [new Uint32Array(0)];
  // The list grows while it is walked: level by level, so that parents come first.
  for (const [index, entry] of specs.entries()) {
    const siblings = entry.spec.children ?? [];
    const places = new Map<string, number>();
    for (const spec of siblings) {
      const path = childPath(entry.path, spec.name);
      if (!isName(spec.name)) {
        throw badInput(`A phase type under ${entry.path} is named '${spec.name}': use a name without / [ ] =.`);
      }
      if (places.has(spec.name)) throw badInput(`The phase type ${path} is listed twice: keep one of the two.`);
      places.set(spec.name, specs.length);
      indexOf.set(path, specs.length);
      specs.push({ spec, path, parent: index });
    }
    for (const spec of siblings) predecessors.push(precedingOf(spec, entry.path, places));
    children.push(inOrder([...places.values()], predecessors, entry.path, siblings));
  }
  return {
    count: specs.length,
    paths: specs.map(({ path }) => path),
    names: specs.map(({ spec }) => spec.name),
    repeats: specs.map(({ spec }) => spec.repeat ?? 'none'),
    keys: specs.map(({ spec }) => spec.key),
    parents: Int32Array.from(specs, ({ parent }) => parent),
    children,
    predecessors,
    indexOf,
  };
}

function precedingOf(spec: PhaseTypeSpec, parent: string, places: ReadonlyMap<string, number>): Uint32Array {
  return Uint32Array.from(spec.after ?? [], (name) => {
    const place = places.get(name);
    if (place !== undefined) return place;
    const siblings = [...places.keys()].join(', ');
    throw badInput(
      `${childPath(parent, spec.name)} comes after '${name}', which is not one of its siblings: ${siblings}.`,
    );
  });
}

/** Kahn's topological sort; ties keep the order of the specification. */
function inOrder(
  types: readonly number[],
  predecessors: readonly Uint32Array[],
  parent: string,
  siblings: readonly PhaseTypeSpec[],
): Uint32Array {
  const ordered: number[] = [];
  const done = new Set<number>();
  while (ordered.length < types.length) {
    const next = types.find((type) => !done.has(type) && at(predecessors, type).every((before) => done.has(before)));
    if (next === undefined) {
      const names = siblings.filter((_, place) => !done.has(at(types, place))).map(({ name }) => name);
      throw badInput(`Under ${parent} ${names.join(', ')} wait for each other: remove one 'after' from the circle.`);
    }
    done.add(next);
    ordered.push(next);
  }
  return Uint32Array.from(ordered);
}

/** One step of a path: `Superstep[superstep=3]` has the name Superstep, the key superstep and the id 3. */
interface Step {
  readonly name: string;
  readonly key: string | undefined;
  readonly id: string | undefined;
}

const STEP = /^([^/[\]=]+)(?:\[([^/[\]=]+)=([^\]]*)\])?$/;
const NAME = /^[^/[\]=]+$/;

/** A path's last step; null when it is not `name` or `name[key=id]`. Phases, resources, metrics and types share this form. */
export function stepOf(path: string): Step | null {
  const found = STEP.exec(path.slice(lastSlash(path) + 1));
  return found?.[1] === undefined ? null : { name: found[1], key: found[2], id: found[3] };
}

/** The path one step up; null above the root, whose path is `/`. */
export function parentPath(path: string): string | null {
  if (path === '/') return null;
  return path.slice(0, lastSlash(path)) || '/';
}

/** The path of the type that an instance's path belongs to: without `[key=id]`. */
export function typePath(path: string): string {
  let [text, from] = ['', 0];
  for (let open = path.indexOf('['); open >= 0; open = path.indexOf('[', from)) {
    const close = path.indexOf(']', open);
    if (close < 0) break;
    text += path.slice(from, open);
    from = close + 1;
  }
  return text + path.slice(from);
}

export function childPath(parent: string, step: string): string {
  return parent === '/' ? `/${step}` : `${parent}/${step}`;
}

/** Whether a type may have this name. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** What is wrong with an instance's key, or null: types that repeat need `[key=id]`, others must not have it. */
export function keyProblem(
  step: Step,
  type: { readonly repeats: boolean; readonly key: string | undefined },
): string | null {
  if (!type.repeats)
    return step.key === undefined ? null : `'${step.name}' occurs once, so it takes no [${step.key}=...]`;
  if (step.key === undefined) return `'${step.name}' repeats, so it needs [${type.key ?? 'key'}=...]`;
  if (type.key !== undefined && step.key !== type.key)
    return `the key of '${step.name}' is '${type.key}', not '${step.key}'`;
  return null;
}

/** The slash before the last step; ids may hold slashes. */
function lastSlash(path: string): number {
  if (!path.endsWith(']')) return path.lastIndexOf('/');
  const bracket = path.lastIndexOf('[');
  return path.lastIndexOf('/', bracket);
}
