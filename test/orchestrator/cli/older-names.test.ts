import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { importCommand } from '../../../orchestrator/cli/import-command.ts';
import { commandsOf } from '../../../orchestrator/cli/register/add-command.ts';
import { currentWords } from '../../../orchestrator/cli/register/older-names.ts';
import { registerAll } from '../../../orchestrator/cli/register/register-all.ts';

test.each([
  ['critical-path x --by host', ['why --method path', 'x', '--by', 'host']],
  ['why x --method=path --by host', ['why --method path', 'x', '--by', 'host']],
  ['why --method grade10 --help', ['why --method grade10', '--help']],
  ['why x --method none', ['why', 'x', '--method', 'none']],
  ['help grade10', ['help', 'why --method grade10']],
  ['--verbose fit x', ['--verbose', 'model', '--view', 'fit', 'x']],
  ['dag watch --pids 1', ['watch', '--pids', '1']],
  ['dag runs/watch', ['why --method jobs', 'runs/watch']],
  ['profiles top s', ['profiles', 'top', 's']],
  ['parse graph500 a b', ['import', '--format', 'graph500', 'a', 'b']],
  ['exec -- fit', ['exec', '--', 'fit']],
])('%s is read as what it means today', (line, words) => {
  expect(currentWords(line.split(' ')).words).toEqual(words);
});

test('a request to SLURM stays one word', () => {
  expect(currentWords(['sweep', '--slurm', '-N 4']).words).toEqual(['sweep', '--slurm=-N 4']);
});

test('help lists about thirty commands and no older name', () => {
  const isShown = (command: Command): boolean =>
    command.parent === null ||
    (command.parent.createHelp().visibleCommands(command.parent).includes(command) && isShown(command.parent));
  const leaves = commandsOf(registerAll()).filter(({ command }) => command.commands.length === 0 && isShown(command));
  expect(leaves.length).toBeLessThanOrEqual(35);
  expect(leaves.map(({ words }) => words.join(' '))).not.toContain('fit');
});

test.each([
  [['a.folded'], { benchmark: 'b' }, '--benchmark means nothing for these files: leave it out, or give --into STORE.'],
  [['a.csv', 'b.csv'], {}, 'a.csv is a file of measurements, which is imported alone'],
  [['a.csv'], { properties: ['p'] }, '--properties means nothing'],
  [['a.txt'], { format: 'none' }, "The format 'none' is not one of csv"],
])('import of %j with %j is rejected', async (files, flags, said) => {
  await expect(importCommand(files, flags)).rejects.toThrow(said);
});
