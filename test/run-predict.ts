import { runCommandLine } from '../orchestrator/cli/command-line.ts';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  /** Variables beside those of this process; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

const STREAMS = ['stdout', 'stderr'] as const;
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line in this process, one after the other, with what it says, less the last end of line. Started for every line, Node
 * and its modules would take most of the time of the tests; of the process itself (pipes, signals, a terminal) others test.
 */
export function runPredict(words: readonly string[], place: Place = {}): Promise<Ran> {
  return runInProcess(() => runCommandLine(words), place);
}

/** The same of any program that returns its exit code. */
export function runInProcess(program: () => Promise<number>, place: Place = {}): Promise<Ran> {
  const ran = before.then(() => run(program, place));
  before = ran.catch(() => undefined);
  return ran;
}

/** Its results as JSON. Errors: a command that fails. */
export async function runPredictJson<T>(words: readonly string[], place: Place = {}): Promise<T> {
  const { exitCode, stdout, stderr } = await runPredict([...words, '--json'], place);
  if (exitCode !== 0) throw new Error(`predict ${words.join(' ')}: exit code ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

async function run(program: () => Promise<number>, { env = {}, cwd = process.cwd() }: Place): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const writes = STREAMS.map((name) => [name, process[name].write] as const);
  const [variables, folder] = [{ ...process.env }, process.cwd()];
  for (const name of STREAMS) {
    process[name].write = ((text: string | Uint8Array) => {
      said[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    }) as typeof process.stdout.write;
  }
  try {
    process.chdir(cwd);
    setVariables(env);
    const exitCode = await program();
    return { exitCode, stdout: said.stdout.replace(/\n$/, ''), stderr: said.stderr.replace(/\n$/, '') };
  } finally {
    process.chdir(folder);
    setVariables(Object.fromEntries(Object.keys(env).map((name) => [name, variables[name]])));
    for (const [name, write] of writes) process[name].write = write;
  }
}

function setVariables(env: NonNullable<Place['env']>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
