import type { Command } from 'commander';
import { commandsOf } from '../../orchestrator/cli/register/add-command.ts';
import { registerAll } from '../../orchestrator/cli/register/register-all.ts';
import { type Ran, runPredict } from '../run-predict.ts';

/** What begins so reaches for hosts or changes this machine. */
const ON_HOSTS =
  /^(?:demo|setup|lab|inventory|exec|throttle|sweep|export --format graphalytics-driver)\b(?!.* --dry-run)/;

/**
 * Runs a command line in this process and working folder. Errors: a command that needs hosts; what the command refuses; an exit code
 * other than 0.
 */
export async function runCommand(words: readonly string[]): Promise<Ran> {
  const line = words.join(' ');
  if (ON_HOSTS.test(line)) throw new Error(`'predict ${line}' needs hosts: a comment before the block says so.`);
  const ran = await runPredict(words);
  if (ran.exitCode !== 0) throw new Error(`exit ${ran.exitCode}: ${ran.stderr}`);
  return ran;
}

/** Reads a command line as the command itself would, and runs nothing. Errors: commander's, for a word that no command takes. */
export async function readCommand(words: readonly string[]): Promise<void> {
  const program = registerAll();
  for (const { command } of commandsOf(program)) {
    command.configureOutput({ outputError: () => undefined }).showHelpAfterError(false);
    if (doesSomething(command)) command.action(() => undefined);
  }
  await program.parseAsync([...words], { from: 'user' });
}

/** Each command that does something, by its words. */
export function verbs(): readonly { readonly name: string; readonly command: Command }[] {
  return commandsOf(registerAll())
    .filter(({ command, words }) => words.length > 0 && doesSomething(command))
    .map(({ command, words }) => ({ name: words.join(' '), command }));
}

/** One with verbs of its own may do something without them. */
function doesSomething(command: Command): boolean {
  return command.commands.length === 0 || command.registeredArguments.length > 0;
}
