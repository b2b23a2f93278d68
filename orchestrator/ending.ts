import { messageOf } from '../base/errors.ts';
import type { Seconds } from '../base/units.ts';
import { within } from './waiting.ts';

/** What is undone when a sweep ends, in this order: links first, whatever ended it. */
const ORDER = ['links', 'workload', 'locks', 'queue', 'connections'] as const;
type Stage = (typeof ORDER)[number];

export interface EndingStep {
  readonly stage: Stage;
  /** What it does, for a sentence: "restoring the links". */
  readonly what: string;
  /** After so long the next step begins, whether or not this one has ended. */
  readonly boundS: Seconds;
  readonly run: () => Promise<unknown> | unknown;
}

/** How a sweep dies: steps are added as it takes hold of things, and each is done once, within its bound. */
export class Ending {
  readonly #steps: EndingStep[] = [];
  readonly #tell: (sentence: string) => void;

  /** `tell` hears of each step that failed or took too long; nothing is thrown for it. */
  constructor(tell: (sentence: string) => void) {
    this.#tell = tell;
  }

  add(step: EndingStep): void {
    this.#steps.push(step);
  }

  /** Steps of one stage go in the order in which they were added. */
  async run(): Promise<void> {
    for (const stage of ORDER) {
      for (const step of this.#steps.filter((each) => each.stage === stage)) await this.#end(step);
    }
    this.#steps.length = 0;
  }

  async #end({ what, boundS, run }: EndingStep): Promise<void> {
    const late = (): never => {
      throw new Error(`it took longer than ${boundS} s`);
    };
    try {
      await within(boundS * 1000, Promise.resolve().then(run), late);
    } catch (error) {
      this.#tell(`${what} did not work: ${messageOf(error).replace(/\.$/, '')}.`);
    }
  }
}
