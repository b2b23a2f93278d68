import type { Command } from 'commander';

export const INVENTORY = ['--inventory <file>', 'inventory file (docs/inventory.md)'] as const;
export const PROGRAM = ['--program <name>', 'of a campaign of several programs, this one: pr, or pr on web'] as const;
export const HOSTS = ['--hosts <names>', 'only these hosts: node01,node[03-05]'] as const;

/**
 * A command with its examples. Its action loads a file of its own when it runs, which imports what it needs:
 * --help must answer at once.
 */
export function addCommand(parent: Command, name: string, examples: readonly string[]): Command {
  const title = examples.length > 1 ? 'Examples' : 'Example';
  return parent
    .command(name)
    .addHelpText('after', `\n${title}:\n${examples.map((example) => `  predict ${example}`).join('\n')}`);
}
