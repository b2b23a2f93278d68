import type { Command } from 'commander';
import { addCommand } from './command.ts';

/** Commands about the LDBC Graphalytics harness. */
export function registerHarness(program: Command): void {
  const harness = program.command('harness').description('what the LDBC Graphalytics harness leaves');
  addCommand(harness, 'read', [
    'harness read report/',
    'harness read results.json.gz --properties graphs/web.properties --json',
  ])
    .description('read its reports: times, EPS and EVPS per algorithm and graph, failures by code')
    .argument('<path...>', 'results.json (also .gz), data.js, a report folder, or a folder with several')
    .option('--properties <file...>', 'properties files of graphs that the reports do not describe')
    .action(async (paths, flags) => (await import('../harness.ts')).harnessRead(paths, flags));
}
