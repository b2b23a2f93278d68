import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostPrograms } from '../../../agents/host-programs.ts';
import { tempFolder } from '../../experiments/make.ts';

/** Files with the names of the host programs; fake hosts only keep them. */
export function fakePrograms(): HostPrograms {
  const folder = tempFolder();
  const file = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `this is ${name}`);
    return path;
  };
  return {
    agent: file('predict-agent'),
    idle: file('libpredict-idle.so'),
    graph500: file('predict-graph500'),
    graphalytics: file('predict-graphalytics'),
    'run-harness': file('predict-run-harness'),
  };
}
