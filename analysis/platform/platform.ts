import { badInput } from '../../base/errors.ts';
import { at, own } from '../../base/lists.ts';
import { type AnalyseOptions, defaultIssueFinders } from '../grade10/analyse-phases.ts';
import { type BottleneckPredicate, predicates as known } from '../grade10/bottlenecks/composites.ts';
import type { IssueFinder } from '../grade10/issues/issue-rule.ts';
import type { Model } from '../grade10/model/create-model.ts';
import type { MappingEntry } from '../grade10/model/mapping.ts';
import { createResourceTypes, type ResourceTypeSpec, type ResourceTypes } from '../grade10/model/metrics.ts';
import { createPhaseTypes, type PhaseTypeSpec, type PhaseTypes } from '../grade10/model/phase-types.ts';
import type { PhaseColumns } from '../grade10/model/phases.ts';
import type { RuleEntry } from '../grade10/model/uses.ts';
import { nanoseconds, type PhaseEntry, type PlatformFile, type ResourceEntry } from './platform-schema.ts';

/** What is known of a platform before any job of it is seen: section 4.3 of the thesis. */
export interface Platform {
  readonly name: string;
  readonly phaseTypes: PhaseTypes;
  readonly resourceTypes: ResourceTypes;
  /** Undefined: the thesis's defaults. */
  readonly rules: readonly RuleEntry[] | undefined;
  /** Phase type -> resource paths with {key} in them. */
  readonly mapping: ReadonlyMap<number, readonly string[]>;
  /** Key of a phase -> its id -> host. */
  readonly places: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly timesliceNs: number | undefined;
  /** The phase type that reports are about. */
  readonly focus: number;
  /** What people call one of them. */
  readonly noun: string;
  /** Per metric type. */
  readonly metrics: readonly MetricLabel[];
  /** How runs of ours fill the model in; undefined for platforms that we do not run. */
  readonly measured: PlatformFile['measured'];
  /** Capacities of hosts that Grade10's resource monitor watched. */
  readonly monitored: PlatformFile['monitored'];
  /** What the file chooses for `analyse`; its thresholds are given per metric type. */
  readonly analyseOptions: (model: Model) => AnalyseOptions;
}

export interface MetricLabel {
  readonly label: string;
  readonly group: string;
  readonly unit: string;
}

/** What a module of the user's adds. */
export interface Extensions {
  readonly predicates: readonly BottleneckPredicate[];
  readonly issues: readonly IssueFinder[];
}

/** A checked file as specifications. Errors: badInput for names, duplicates and circles in `after`. */
export function createPlatform(file: PlatformFile, { predicates, issues }: Extensions): Platform {
  const phaseTypes = createPhaseTypes({ name: '', children: phaseSpecs(file.phases) });
  const resourceTypes = createResourceTypes({ name: '', children: resourceSpecs(file.resources) });
  const labels = labelsOf(file.resources ?? {});
  const chosen = [...(file.predicates?.map(predicateOf) ?? Object.values(known)), ...predicates];
  const { sampler = 'phase-aware', thresholds = {} } = file;
  return {
    name: file.name,
    phaseTypes,
    resourceTypes,
    rules:
      file.rules &&
      Object.entries(file.rules).flatMap(([phaseType, rules]) =>
        Object.entries(rules).map(([metricType, rule]) => ({ phaseType, metricType, rule })),
      ),
    // A type that does not exist is named by the checks that follow (check-platform.ts): until then it is none, or the root.
    mapping: new Map(
      Object.entries(file.mapping ?? {}).map(([type, resources]) => [phaseTypes.indexOf.get(type) ?? -1, resources]),
    ),
    places: file.places ?? {},
    timesliceNs: file.timeslice === undefined ? undefined : nanoseconds(file.timeslice),
    focus: phaseTypes.indexOf.get(file.focus ?? '/') ?? 0,
    noun: file.noun ?? 'run',
    metrics: resourceTypes.metricTypes.paths.map((path) => labels.get(path) ?? { label: path, group: path, unit: '' }),
    measured: file.measured,
    monitored: file.monitored,
    analyseOptions: ({ metrics, resourceTypes: { metricTypes } }) => {
      const deltaOf = (given: NonNullable<PlatformFile['thresholds']>['global'], metric: number): number => {
        if (given === undefined || typeof given === 'number') return given ?? DELTA;
        return own(given, at(metricTypes.paths, at(metrics, metric).type)) ?? given.default ?? DELTA;
      };
      return {
        sampler,
        thresholds: {
          global: (metric) => deltaOf(thresholds.global, metric),
          local: (_, metric) => deltaOf(thresholds.local, metric),
        },
        predicates: chosen,
        issues: [...defaultIssueFinders, ...issues],
      };
    },
  };
}

/** Delta of equations 4.3 and 4.4. */
const DELTA = 0.95;

function phaseSpecs(phases: Readonly<Record<string, PhaseEntry | null>> = {}): PhaseTypeSpec[] {
  return Object.entries(phases).map(([name, entry]) => {
    const { phases: children, ...rest } = entry ?? {};
    return { name, ...rest, children: phaseSpecs(children) };
  });
}

type Metrics = NonNullable<ResourceEntry['metrics']>;

const metricClassOf = (metric: Metrics[string]) => (typeof metric === 'string' ? metric : metric.class);

function resourceSpecs(resources: Readonly<Record<string, ResourceEntry | null>> = {}): ResourceTypeSpec[] {
  return Object.entries(resources).map(([name, entry]) => {
    const { metrics = {}, resources: children, ...rest } = entry ?? {};
    const listed = Object.entries(metrics).map(([metric, one]) => ({ name: metric, class: metricClassOf(one) }));
    return { name, ...rest, metrics: listed, children: resourceSpecs(children) };
  });
}

function labelsOf(resources: Readonly<Record<string, ResourceEntry | null>>, above = ''): Map<string, MetricLabel> {
  return new Map(
    Object.entries(resources).flatMap(([name, entry]) => [
      ...Object.entries(entry?.metrics ?? {}).map(([metric, one]): [string, MetricLabel] => {
        const { label, group, unit } = typeof one === 'string' ? { label: undefined, group: undefined, unit: '' } : one;
        return [`${above}/${name}/${metric}`, { label: label ?? metric, group: group ?? metric, unit: unit ?? '' }];
      }),
      ...labelsOf(entry?.resources ?? {}, `${above}/${name}`),
    ]),
  );
}

function predicateOf(given: NonNullable<PlatformFile['predicates']>[number]): BottleneckPredicate {
  if (typeof given === 'string') return given === 'majority+any' ? known.majorityAny : known[given];
  const { name, per, 'at-least': least } = given;
  return { kind: 'count', name, per, holds: (bottlenecked, subphases) => bottlenecked / subphases >= least };
}

/**
 * The phase-resource mapping of one job: the templates of each phase's type with {key} filled in by the id of the phase, or
 * of one above it; {host} is the place of the nearest of them that has one. Errors: badInput for a phase without a place.
 */
export function mapPhases(
  { type, parent, id }: PhaseColumns,
  { phaseTypes, mapping, places }: Pick<Platform, 'phaseTypes' | 'mapping' | 'places'>,
): MappingEntry[] {
  const entries: MappingEntry[] = [];
  for (const [phase, typeIndex] of type.entries()) {
    const templates = mapping.get(typeIndex);
    if (templates === undefined) continue;
    const value = (key: string): string => {
      for (let row = phase; row >= 0; row = at(parent, row)) {
        const [known, name] = [keyOf(phaseTypes, at(type, row)), at(id, row)];
        if (known === key) return name;
        const hosts = key === 'host' && known !== undefined ? own(places, known) : undefined;
        const place = hosts && own(hosts, name);
        if (place !== undefined) return place;
      }
      const path = at(phaseTypes.paths, typeIndex);
      throw badInput(`A phase ${path} (id '${id[phase]}') has no known ${key}: state where it ran under 'places'.`);
    };
    entries.push({
      phase,
      resources: templates.map((template) => template.replace(/\{([^{}]*)\}/g, (_, key: string) => value(key))),
    });
  }
  return entries;
}

function keyOf({ repeats, keys }: PhaseTypes, type: number): string | undefined {
  return repeats[type] === 'none' ? undefined : keys[type];
}
