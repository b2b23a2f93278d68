import { Argument, type Command } from 'commander';
import { addCommand } from './command.ts';

/** Commands for the shell that predict is typed in. */
export function registerShell(program: Command): void {
  program.commandsGroup('Your shell:');
  addCommand(program, 'completion', [
    'completion bash > ~/.local/share/bash-completion/completions/predict',
    'completion zsh > "$fpath[1]/_predict"',
    'completion fish > ~/.config/fish/completions/predict.fish',
  ])
    .description('print what completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell that predict is typed in').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => (await import('../completion.ts')).printCompletion(program, shell));
}
