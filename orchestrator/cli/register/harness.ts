import type { Command } from 'commander';
import { addCommand, INVENTORY } from './command.ts';

/** Commands about the LDBC Graphalytics harness. */
export function registerHarness(program: Command): void {
  program.commandsGroup('Graphs:');
  const harness = program.command('harness').description('what the LDBC Graphalytics harness leaves');
  addCommand(harness, 'read', [
    'harness read report/',
    'harness read results.json.gz --properties graphs/web.properties --json',
  ])
    .description('read its reports: times, EPS and EVPS per algorithm and graph, failures by code')
    .argument('<path...>', 'results.json (also .gz), data.js, a report folder, or a folder with several')
    .option('--properties <file...>', 'properties files of graphs that the reports do not describe')
    .action(async (paths, flags) => (await import('../harness.ts')).harnessRead(paths, flags));
  const graph = program.commands.find((each) => each.name() === 'graph') ?? program.command('graph');
  addCommand(graph, 'driver', ['graph driver --inventory lab.yaml --out driver'])
    .description('write a platform driver, with which the Graphalytics harness runs the bundled kernels on these hosts')
    .option(...INVENTORY)
    .requiredOption('--out <dir>', 'folder of the driver, new or written by this command before')
    .action(async (flags) => (await import('../graph/driver.ts')).graphDriver(flags));
}
