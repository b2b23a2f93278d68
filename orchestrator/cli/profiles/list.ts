import { listStore } from '../../../analysis/profiles/index.ts';
import { left, printJson, printTable, right } from '../print.ts';
import { isoOf, withTime } from './import.ts';

export async function listCommand(store: string, { json }: { readonly json?: boolean }): Promise<void> {
  const profiles = await listStore(store);
  if (json) return printJson({ profiles: profiles.map(withTime) });
  printTable(profiles, [
    left('key', ({ key }) => key),
    left('benchmark', ({ benchmark }) => benchmark),
    left('run', ({ testRun }) => testRun),
    left('recorded', ({ timeNs }) => isoOf(timeNs)),
    right('metric', ({ metricMean }) => metricMean ?? '-'),
    left('format', ({ format }) => format),
  ]);
}
