import { Command, CommanderError } from 'commander';
import { EXIT, PredictError, printable } from '../../base/index.ts';
import { note } from './print.ts';
import { registerCampaigns } from './register/campaigns.ts';
import { registerExchange } from './register/exchange.ts';
import { registerGraphs } from './register/graphs.ts';
import { registerHarness } from './register/harness.ts';
import { registerHosts } from './register/hosts.ts';
import { registerModels } from './register/models.ts';
import { registerPath } from './register/path.ts';
import { joinRequest } from './slurm-word.ts';

const program = new Command('predict')
  .description('Measures a small cluster under throttled bandwidth, fits scaling models and predicts a large one.')
  .option('--verbose', 'show where an error came from')
  // Messages repeat words of the command line.
  .configureOutput({ outputError: (text, write) => write(printable(text)) })
  .showHelpAfterError('(run the command with --help for its options and an example)')
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 unexpected, 2 bad input, 3 a host, link or privilege is missing or results cannot be written, 4 the workload failed, 5 hosts in use, 75 the SLURM job ends (the same command goes on in the next one), 130 interrupted.\nExample:\n  predict demo',
  );
for (const register of [
  registerHosts,
  registerCampaigns,
  registerModels,
  registerPath,
  registerExchange,
  registerGraphs,
  registerHarness,
])
  register(program);
forEachCommand(program, (command) => {
  command.exitOverride();
  if (command.commands.length === 0) command.option('--json', 'print the result as JSON (docs/commands.md)');
});

// Whoever reads the output may have seen enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

// Nobody reads progress and errors any more (`2>&1 | tee`, whose reader Ctrl-C ends first): what was begun is ended all the same.
process.stderr.on('error', () => undefined);

try {
  await program.parseAsync(joinRequest(process.argv));
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  const verbose = program.opts<{ verbose?: boolean }>().verbose === true;
  if (error instanceof PredictError) {
    note(`predict: ${error.message}`);
    if (verbose) note(`${error.stack}${error.cause ? `\ncause: ${String(error.cause)}` : ''}`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (verbose ? error.stack : error.message) : String(error);
  note(`predict: unexpected: ${text}${verbose ? '' : ' (--verbose shows where)'}`);
  return EXIT.unexpected;
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}
