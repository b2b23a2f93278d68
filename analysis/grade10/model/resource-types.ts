import { badInput } from '../../../base/errors.ts';
import { childPath, isName } from './phase-types.ts';

/** A consumable metric is a rate below a capacity; a blocking one says when whoever needs the resource has to wait. */
type MetricClass = 'consumable' | 'blocking';

/** The resource model's specification (section 4.3.2) as a tree; metrics hang on resources. */
export interface ResourceTypeSpec {
  readonly name: string;
  readonly repeat?: 'once' | 'many' | undefined;
  readonly key?: string | undefined;
  readonly metrics?: readonly { readonly name: string; readonly class: MetricClass }[] | undefined;
  readonly children?: readonly ResourceTypeSpec[] | undefined;
}

export interface ResourceTypes {
  /** By type path, the root's is `/`. */
  readonly resources: ReadonlyMap<string, { readonly repeats: boolean; readonly key: string | undefined }>;
  /** The thesis's resource types R: in the order of the specification. */
  readonly metricTypes: MetricTypes;
}

export interface MetricTypes {
  readonly count: number;
  readonly paths: readonly string[];
  readonly classes: readonly MetricClass[];
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Checks a specification. Errors: badInput for names and duplicates. */
export function createResourceTypes(root: ResourceTypeSpec): ResourceTypes {
  if (root.name !== '') {
    throw badInput(`The root of the resource model is named '${root.name}': leave its name empty, its path is /.`);
  }
  const resources = new Map<string, { repeats: boolean; key: string | undefined }>();
  const classes: MetricClass[] = [];
  const indexOf = new Map<string, number>();
  const visit = (spec: ResourceTypeSpec, path: string): void => {
    if (resources.has(path)) throw badInput(`The resource type ${path} is listed twice: keep one of the two.`);
    resources.set(path, { repeats: spec.repeat === 'many', key: spec.key });
    for (const metric of spec.metrics ?? []) {
      const metricPath = childPath(path, checkedName(metric.name, path));
      if (indexOf.has(metricPath))
        throw badInput(`The metric type ${metricPath} is listed twice: keep one of the two.`);
      indexOf.set(metricPath, classes.length);
      classes.push(metric.class);
    }
    for (const child of spec.children ?? []) visit(child, childPath(path, checkedName(child.name, path)));
  };
  visit(root, '/');
  return { resources, metricTypes: { count: classes.length, paths: [...indexOf.keys()], classes, indexOf } };
}

function checkedName(name: string, parent: string): string {
  if (isName(name)) return name;
  throw badInput(`A resource or metric type under ${parent} is named '${name}': use a name without / [ ] =.`);
}
