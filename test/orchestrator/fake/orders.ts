import type { FakeHost, Running } from '../fake-host.ts';
import { type Answer, answer } from './answer.ts';

/** A FIFO between who gives orders and the program that takes them. */
export class FakeFifo {
  readonly #lines: string[] = [];
  #take: ((line: string) => void) | undefined;

  write(text: string): void {
    for (const line of text.split('\n').filter(Boolean)) {
      const take = this.#take;
      this.#take = undefined;
      if (take) take(line);
      else this.#lines.push(line);
    }
  }

  read(): Promise<string> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  }
}

/** A program that follows orders (agents/mpi/orders.h): the world's `start`, then its `program` whenever it measures. */
export async function followOrders(
  host: FakeHost,
  {
    path,
    hosts,
    argv,
    running,
  }: { path: string; hosts: readonly FakeHost[]; argv: readonly string[]; running: Running },
): Promise<Answer> {
  const { world } = host;
  const files = new Map<string, string>();
  const launched = {
    ...{ hosts, argv, print: running.print },
    write: (name: string, text: string) => void files.set(name, text),
  };
  const say = ({ stdout = '', stderr = '' }: Partial<Answer>): void => {
    if (stdout !== '') running.print(stdout);
    if (stderr !== '') running.printError(stderr);
  };
  /** What it ended with; null where it lives on. */
  const play = async (program: typeof world.program, mark: string): Promise<Answer | null> => {
    const end = await program(launched);
    say(end);
    if ((end.exitCode ?? 0) !== 0) return { ...answer(), exitCode: end.exitCode ?? null };
    say({ stdout: `${mark}\n`, stderr: `${mark}\n` });
    return null;
  };
  const failed = await play(world.start, 'Ready.');
  if (failed !== null) return failed;
  for (;;) {
    const [verb = '', folder = ''] = (await world.fifo(path).read()).split(' ');
    if (verb === 'end') return answer();
    world.note(host, verb, folder);
    const ended = await (verb === 'measure'
      ? play(world.program, 'Measured.')
      : play(async () => {
          for (const [name, text] of files) hosts[0]?.files.set(`${folder}/${name}`, Buffer.from(text));
          return {};
        }, 'Written.'));
    if (ended !== null) return ended;
  }
}
