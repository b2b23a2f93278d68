import { Command, CommanderError } from 'commander';
import { EXIT, PredictError } from '../../base/index.ts';
import { registerAdvise } from './advise.ts';
import { registerCompare } from './compare.ts';
import { registerDemo } from './demo.ts';
import { registerExchange } from './exchange.ts';
import { registerExec } from './exec.ts';
import { registerFit } from './fit.ts';
import { registerGrade10 } from './grade10/register.ts';
import { registerInventory } from './inventory.ts';
import { registerLab } from './lab.ts';
import { registerParse } from './parse.ts';
import { registerPlan } from './plan.ts';
import { registerProject } from './project.ts';
import { registerReport } from './report.ts';
import { registerSetup } from './setup.ts';
import { registerStatus, registerSweep } from './sweep.ts';
import { registerThrottle } from './throttle.ts';

// Rooms are loaded inside the commands that need them: --help must answer at once.
const COMMANDS = [
  registerDemo,
  registerSetup,
  registerLab,
  registerInventory,
  registerExec,
  registerThrottle,
  registerSweep,
  registerStatus,
  registerFit,
  registerCompare,
  registerProject,
  registerPlan,
  registerAdvise,
  registerGrade10,
  registerReport,
  registerParse,
  registerExchange,
];

const program = new Command('predict')
  .description('Measures a small cluster under throttled bandwidth, fits scaling models and predicts a large one.')
  .option('--verbose', 'show where an error came from')
  .showHelpAfterError('(run the command with --help for its options and an example)')
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 unexpected, 2 bad input, 3 host, link or privilege, 4 the workload failed, 5 hosts in use, 130 interrupted.\nExample:\n  predict demo',
  );
for (const register of COMMANDS) register(program);
forEachCommand(program, (command) => command.exitOverride());

// Whoever reads the output may have seen enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  const verbose = program.opts<{ verbose?: boolean }>().verbose === true;
  if (error instanceof PredictError) {
    process.stderr.write(`predict: ${error.message}\n`);
    if (verbose) process.stderr.write(`${error.stack}\n${error.cause ? `cause: ${String(error.cause)}\n` : ''}`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (verbose ? error.stack : error.message) : String(error);
  process.stderr.write(`predict: unexpected: ${text}${verbose ? '' : ' (--verbose shows where)'}\n`);
  return EXIT.unexpected;
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}
