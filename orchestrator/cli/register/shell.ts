import { Argument, type Command } from 'commander';
import { addCommand } from './command.ts';

/** Commands for your shell. */
export function registerShell(program: Command): void {
  program.commandsGroup('Your shell:');
  addCommand(program, 'completion', [
    'completion bash > ~/.local/share/bash-completion/completions/predict',
    'completion zsh > "$fpath[1]/_predict"',
    'completion fish > ~/.config/fish/completions/predict.fish',
  ])
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => (await import('../completion.ts')).printCompletion(program, shell));
}
