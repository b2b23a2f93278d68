import { CommanderError } from 'commander';
import { EXIT, PredictError } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';
import { note, onStderr, paint, resultsToStdout } from './print.ts';
import { commandsOf } from './register/add-command.ts';
import { registerAll } from './register/register-all.ts';

/** Of the shape of errors as JSON; a field may be added without another number. */
const ERROR_SCHEMA = 1;

interface Asked {
  readonly asJson: boolean;
  readonly verbose: boolean;
}

/** Runs the words of a command line to their end. What goes wrong is said, and is in the exit code that it returns. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const program = registerAll();
  // Words behind -- are not ours.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const asJson = own.includes('--json');
  if (asJson) {
    for (const { command } of commandsOf(program)) {
      command.configureOutput({ outputError: () => undefined }).showHelpAfterError(false);
    }
  }
  try {
    await program.parseAsync([...words], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return report(error, { asJson, verbose: program.opts<{ verbose?: boolean }>().verbose === true });
  } finally {
    resultsToStdout();
  }
}

/** Says what went wrong: a sentence, or with --json one line of JSON, the last on stderr; what stdout has stays as it is. */
function report(error: unknown, { asJson, verbose }: Asked): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    if (asJson) sayJson({ kind: 'badInput', exitCode: EXIT.badInput, message: error.message.replace(/^error: /, '') });
    return EXIT.badInput;
  }
  if (error instanceof PredictError) {
    const { kind, exitCode, message, host } = error;
    if (asJson) sayJson({ kind, exitCode, message, ...(host === undefined ? {} : { host }) });
    else say(message);
    if (verbose) note(`${error.stack}${error.cause ? `\ncause: ${String(error.cause)}` : ''}`);
    return exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  const trace = error instanceof Error && verbose ? error.stack : undefined;
  if (asJson) sayJson({ kind: 'unexpected', exitCode: EXIT.unexpected, message: trace ?? message });
  else say(`unexpected: ${trace ?? `${message} (--verbose shows where)`}`);
  return EXIT.unexpected;
}

function say(message: string): void {
  process.stderr.write(`${paint(onStderr(`predict: ${message}`), 'failed')}\n`);
}

function sayJson(error: object): void {
  process.stderr.write(`${printable(JSON.stringify({ schema: ERROR_SCHEMA, error }))}\n`);
}
