import type { Command } from 'commander';
import { addCommand, INVENTORY } from './command.ts';

/** Commands about the LDBC Graphalytics harness. */
export function registerHarness(program: Command): void {
  program.commandsGroup('Graphs:');
  const harness = program.command('harness').description('the LDBC Graphalytics harness: read reports, write a driver');
  addCommand(harness, 'read', [
    'harness read report/',
    'harness read results.json.gz --properties graphs/web.properties --json',
  ])
    .description('read its reports: times, EPS and EVPS per algorithm and graph, and failures by code')
    .argument('<path...>', 'results.json (also .gz), data.js, a report folder, or a folder with several')
    .option('--properties <file...>', 'properties files of graphs that are missing in the reports')
    .action(async (paths, flags) => (await import('../harness.ts')).harnessRead(paths, flags));
  const graph = program.commands.find((each) => each.name() === 'graph') ?? program.command('graph');
  addCommand(graph, 'driver', ['graph driver --inventory lab.yaml --out driver'])
    .description('write a platform driver for the Graphalytics harness to run the bundled kernels on these hosts')
    .option(...INVENTORY)
    .requiredOption('--out <dir>', 'folder of the driver: new, or written by this command before')
    .action(async (flags) => (await import('../graph/driver.ts')).graphDriver(flags));
}
