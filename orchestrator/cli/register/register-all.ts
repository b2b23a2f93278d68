import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Help, Option, type ParseOptions } from 'commander';
import { badInput } from '../../../base/errors.ts';
import { projectRoot } from '../../../base/paths.ts';
import { printable } from '../../../base/text.ts';
import { leaveStdoutToFile } from '../print.ts';
import { commandsOf, Verb } from './add-command.ts';
import { type CurrentWords, currentWords } from './older-names.ts';
import { registerCampaigns } from './register-campaigns.ts';
import { registerFiles } from './register-files.ts';
import { registerHosts } from './register-hosts.ts';
import { registerModels } from './register-models.ts';
import { registerProfiles } from './register-profiles.ts';
import { registerWhy } from './register-why.ts';

const EXIT_CODES = `Exit codes: 0 done, 1 an error of predict itself, 2 bad input, 3 a host, link or
privilege is missing or results cannot be written, 4 the workload failed, 5 the
hosts are in use, 6 slower than --fail-above allows, 75 the batch job ends (rerun
the same command in the next one to resume), 130 interrupted.`;

/** All commands; older names among the words are those of today before anything is read. */
class Predict extends Verb {
  #older: CurrentWords['older'];

  override async parseAsync(argv: readonly string[] = process.argv, options?: ParseOptions): Promise<this> {
    const own = options?.from === 'user' ? 0 : 2;
    const { words, older } = currentWords(argv.slice(own));
    this.#older = older;
    return await super.parseAsync([...argv.slice(0, own), ...words], options);
  }

  /** Errors: `badInput` where an older command lacks a flag that it had to be given. */
  requireOlder(command: Command): void {
    if (this.#older === undefined) return;
    const { name, needs } = this.#older;
    const missing = command.options.filter((option) => {
      return needs.some((flag) => flag === option.long) && command.getOptionValue(option.attributeName()) === undefined;
    });
    const flags = missing.map((option) => `  ${option.flags}  ${option.description}`);
    if (flags.length > 0) throw badInput(`${name}: missing required option(s):\n${flags.join('\n')}`);
  }
}

/** Every command with its options: what is run, completed by shells and described in the man page. */
export function registerAll(): Verb {
  const program = new Predict('predict');
  program
    .description('Measures a small cluster under throttled bandwidth, fits scaling models and predicts a large one.')
    .version(version(), '-V, --version')
    .option('--verbose', 'show where an error occurred')
    .configureHelp({ optionDescription, visibleOptions })
    // Messages repeat words of the command line.
    .configureOutput({ outputError: (text, write) => write(printable(text.replace(/^error: /, 'predict: '))) })
    .showHelpAfterError('(use --help for the options of a command and an example)')
    .addHelpText('after', `\n${EXIT_CODES}\n\nExample:\n  predict demo`);
  for (const register of [
    registerHosts,
    registerCampaigns,
    registerModels,
    registerWhy,
    registerProfiles,
    registerFiles,
  ])
    register(program);
  for (const { command } of commandsOf(program)) {
    command.exitOverride();
    if (command.commands.length > 0 || ['completion', 'schema'].includes(command.name())) continue;
    command.addOption(new Option('--json', 'print the result as JSON (docs/commands.md)').helpGroup('Options:'));
  }
  program.hook('preAction', (_, command) => {
    program.requireOlder(command);
    meansOutput(command);
  });
  return program;
}

/** Options that name what is written; `-` is standard output there. */
const WRITTEN = ['out', 'trace', 'saveColumns', 'export', 'junit', 'markdown'] as const;

/** Leaves stdout to the file that a command is to write there. Errors: badInput where that cannot be. */
function meansOutput(command: Command): void {
  const asked = command.options.filter((option) => {
    const name = option.attributeName();
    return WRITTEN.some((each) => each === name) && command.getOptionValue(name) === '-';
  });
  const [first, second] = asked;
  if (first === undefined) return;
  const folder = asked.find(({ flags }) => !flags.includes('<file'));
  if (folder !== undefined) throw badInput(`${folder.long} -: standard output cannot be a folder: name one.`);
  const other = command.getOptionValue('json') === true ? '--json' : second?.long;
  if (other)
    throw badInput(`${first.long} - and ${other} would both write to standard output: name a file for one of them.`);
  leaveStdoutToFile();
}

/** Those that must be there first; groups have their own order. */
function visibleOptions(this: Help, command: Command): Option[] {
  const options = Help.prototype.visibleOptions.call(this, command);
  return [...options.filter(({ mandatory }) => mandatory), ...options.filter(({ mandatory }) => !mandatory)];
}

/** What --help says of an option: also that it must be there. */
function optionDescription(this: Help, option: Parameters<Help['optionDescription']>[0]): string {
  const text = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${text} (required)` : text;
}

function version(): string {
  return JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version;
}
