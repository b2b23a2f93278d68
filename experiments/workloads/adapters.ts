import { assertNever } from '../../base/errors.ts';
import { commandWorkload } from './command-workload.ts';
import { graph500ExternalWorkload, graph500Workload } from './graph500.ts';
import { graphalyticsWorkload } from './graphalytics.ts';
import { graphalyticsHarnessWorkload } from './graphalytics-harness.ts';
import { pipelineWorkload } from './pipeline.ts';
import type { Workload } from './workload.ts';
import type { WorkloadDefinition } from './workload-schema.ts';

/** The adapter of a definition; a new kind is one file and one case. */
export function workloadOf(definition: WorkloadDefinition): Workload {
  switch (definition.kind) {
    case 'graph500':
      return graph500Workload(definition);
    case 'graph500-external':
      return graph500ExternalWorkload(definition);
    case 'command':
      return commandWorkload(definition);
    case 'graphalytics':
      return graphalyticsWorkload(definition);
    case 'graphalytics-harness':
      return graphalyticsHarnessWorkload(definition);
    case 'pipeline':
      return pipelineWorkload(definition);
    default:
      return assertNever(definition);
  }
}
