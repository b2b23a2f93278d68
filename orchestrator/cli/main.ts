#!/usr/bin/env node
import { EXIT } from '../../base/errors.ts';
import { runCommandLine } from './command-line.ts';
import { showWork } from './print.ts';

// Whoever reads the output may have seen enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

// Nobody reads progress and errors any more (`2>&1 | tee`, whose reader Ctrl-C ends first): what was begun is ended all the same.
process.stderr.on('error', () => undefined);

showWork();
void runCommandLine(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
