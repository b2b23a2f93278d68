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
