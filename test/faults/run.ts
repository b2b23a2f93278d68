// npm run test:faults -- [--seed 1] [--count 1000] [--jobs 6] [--quick] [--verbose]: injects faults into sweeps on labs and
// judges from outside what is left. --only 'KIND' takes the injections of one kind alone, with --index I exactly one.
// --fleet: into workers, owners and the Redis of a fleet (test/faults/fleet).
// --restore-time --hosts 25: seconds from SIGKILL of the controller to the last link restored. Needs root.
import { parseArgs } from 'node:util';
import { drawInjection } from './draw.ts';
import { reportFleetFaults } from './fleet/run-fleet.ts';
import type { Verdict } from './inject.ts';
import { kindOf } from './language.ts';
import { restoreTime } from './restore-time.ts';
import { runSuite } from './suite.ts';
import { bad, faultTable, summary, tellBad } from './table.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    first: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '6' },
    only: { type: 'string' },
    index: { type: 'string' },
    name: { type: 'string', default: 'faults' },
    quick: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    fleet: { type: 'boolean', default: false },
    'restore-time': { type: 'boolean', default: false },
    hosts: { type: 'string', default: '25' },
  },
});

const whole = (flag: 'seed' | 'count' | 'first' | 'jobs' | 'index' | 'hosts'): number => {
  const value = Number(values[flag]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${flag} '${values[flag]}' is not a whole number`);
  return value;
};

const chosenSuite = values.fleet ? injectFleet : values['restore-time'] ? measureRestoring : injectAll;
process.exitCode = (await chosenSuite()) ? 0 : 1;

async function injectFleet(): Promise<boolean> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
  const [seed, count, jobs, first] = [whole('seed'), whole('count'), whole('jobs'), whole('first')];
  return await reportFleetFaults({ seed, count, jobs, first, name: `${values.name}-fleet`, signal: stop.signal });
}

async function measureRestoring(): Promise<boolean> {
  const { hosts, leaseS, throttled, seconds } = await restoreTime(`${values.name}-restore`, whole('hosts'));
  const time = seconds === null ? 'never' : `after ${seconds.toFixed(1)} s`;
  console.log(`${hosts} hosts, ${throttled} links throttled, lease ${leaseS} s: the last link was restored ${time}`);
  return seconds !== null && throttled === hosts;
}

async function injectAll(): Promise<boolean> {
  if (values.only !== undefined) kindOf(values.only);
  const indices = chosen();
  const stop = new AbortController();
  // The injections at work end, and the labs with them; a second signal changes nothing.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
  const begun = performance.now();
  const verdicts = await runSuite({
    ...{ seed: whole('seed'), only: values.only, quick: values.quick, name: values.name, signal: stop.signal },
    ...{ indices, jobs: Math.min(indices.length, whole('jobs')) },
    onVerdict: tell,
  });
  console.log(`\n${faultTable(verdicts, repeatRow)}\n`);
  for (const verdict of verdicts.filter(bad)) console.log(tellBad(verdict));
  const minutes = (performance.now() - begun) / 60_000;
  console.log(`${summary(verdicts)}; ${verdicts.filter(bad).length} with anything wrong, ${minutes.toFixed(1)} min`);
  return !verdicts.some(bad) && verdicts.length === indices.length;
}

/** The numbers of the injections that were asked for. */
function chosen(): readonly number[] {
  if (values.index !== undefined) return [whole('index')];
  const [seed, first, { only, quick }] = [whole('seed'), whole('first'), values];
  return Array.from({ length: whole('count') }, (_, index) => first + index).filter(
    (index) => only === undefined || drawInjection(seed, index, { quick }).kind === only,
  );
}

/** The flags that repeat all injections of a kind. */
function repeatRow(kind: string): string {
  const { seed, count, first, quick } = values;
  const range = count === '1000' && first === '0' ? '' : ` --first ${first} --count ${count}`;
  return `--seed ${seed}${range}${quick ? ' --quick' : ''} --only '${kind}'`;
}

function tell(verdict: Verdict): void {
  const { injection, ending, seconds, commands, blows } = verdict;
  const times = `${commands} ${commands === 1 ? 'command' : 'commands'}, ${seconds.toFixed(1)} s`;
  process.stderr.write(
    `${injection.index} ${bad(verdict) ? 'BAD' : 'good'} ${injection.kind}: ${ending}, ${times}${
      values.verbose || bad(verdict) ? `\n${bad(verdict) ? tellBad(verdict) : `  ${blows.join('\n  ')}`}` : ''
    }\n`,
  );
}
