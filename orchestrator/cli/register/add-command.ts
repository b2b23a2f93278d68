import { Command } from 'commander';
import { type Answer, tell } from '../print.ts';

export const INVENTORY = [
  '--inventory <file>',
  'inventory file (docs/cluster.md); default: $PREDICT_INVENTORY, else cluster.yaml',
] as const;
export const PROGRAM = ['--program <name>', 'program of a campaign with several: pr, or pr on web'] as const;
export const CELL = [
  '--cell <cell>',
  'one run in detail: its id, or NODES:SCALE:BW[:REP]; all of them by default',
] as const;
export const HOSTS = ['--hosts <names>', 'only these hosts: node01,node[03-05]'] as const;

/** Commander's own, which suggests the command that is spelt alike; its types do not have it. */
const withSuggestion = (Command.prototype as unknown as { readonly unknownCommand: (this: Command) => void })
  .unknownCommand;

/**
 * Does what a command is for: gets its arguments, its flags and the command itself. What it returns is printed; a command that prints by
 * itself returns nothing.
 */
type Run = (...given: never[]) => Promise<Answer | undefined> | Promise<void>;

/** A command that names everything that is wrong with its options at once, what it does not know first, and what there is to choose from. */
export class Verb extends Command {
  declare readonly unknownOption: (flag: string) => void;

  override createCommand(name?: string): Verb {
    return new Verb(name);
  }

  /** The function that does it: its file, and what that needs, is loaded when it runs, so that --help responds at once. */
  runs(load: () => Promise<Run>): this {
    return this.action(async (...given) => {
      const answer = await (await load())(...(given as never[]));
      if (answer) await tell(answer, this.getOptionValue('json') === true);
    });
  }

  /** An option that may be given again. */
  list(flags: string, about: string): this {
    return this.option(flags, about, (text: string, before: readonly string[] = []) => [...before, text]);
  }

  /** Called by commander with the first option that is missing, before it looks at unknown ones. */
  missingMandatoryOptionValue(): void {
    const unknown = this.args.find((word) => /^--?[^-\d]/.test(word));
    if (unknown !== undefined) this.unknownOption(unknown);
    const missing = this.options.filter((option) => {
      return option.mandatory && this.getOptionValue(option.attributeName()) === undefined;
    });
    const flags = missing.map(({ flags: text, description }) => `  ${text}  ${description}`);
    this.error(`error: missing required option(s):\n${flags.join('\n')}`, {
      code: 'commander.missingMandatoryOptionValue',
    });
  }

  /** Called by commander with the first argument that is missing. */
  missingArgument(name: string): void {
    const argument = this.registeredArguments.find((each) => each.name() === name);
    this.error(`error: missing required argument:\n  <${name}>  ${argument?.description ?? ''}`, {
      code: 'commander.missingArgument',
    });
  }

  /** Called by commander for a word that is no command; a command with few verbs names them all. */
  unknownCommand(): void {
    const verbs = this.commands.map((command) => command.name());
    if (this.parent === null) withSuggestion.call(this);
    this.error(`error: '${this.name()}' has no '${this.args[0]}': it has ${verbs.join(', ')}`, {
      code: 'commander.unknownCommand',
    });
  }
}

/** A command with its examples. */
export function addCommand(parent: Verb, name: string, examples: readonly string[]): Verb {
  return withExamples(parent.command(name), examples);
}

export function withExamples(command: Verb, examples: readonly string[]): Verb {
  const title = examples.length > 1 ? 'Examples' : 'Example';
  return command.addHelpText('after', `\n${title}:\n${examples.map((example) => `  predict ${example}`).join('\n')}`);
}

/** A command and all below it, each with the words that call it. */
export function commandsOf(
  command: Command,
  words: readonly string[] = [],
): readonly { readonly command: Command; readonly words: readonly string[] }[] {
  return [{ command, words }, ...command.commands.flatMap((child) => commandsOf(child, [...words, child.name()]))];
}
