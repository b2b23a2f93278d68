import { drawInjection, type Injection } from './draw.ts';
import { prepareGround } from './ground.ts';
import { type Ground, inject, type Verdict } from './inject.ts';
import { Site } from './site.ts';

export interface SuiteOptions {
  readonly seed: number;
  /** The injections' numbers; each is drawn from seed and number alone. */
  readonly indices: readonly number[];
  /** Labs side by side. */
  readonly jobs: number;
  /** One kind alone, by its name. */
  readonly only?: string | undefined;
  /** Without the kinds that take minutes. */
  readonly quick?: boolean;
  /** Labs are called so, with a number. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onVerdict?: (verdict: Verdict) => void;
}

const HOSTS = 3;
/** A moment that no sweep reached is looked for in another one. */
const MOST_MISSES = 3;

/** Injects one after the other, on as many labs as there are jobs; every lab is gone afterwards. */
export async function runSuite(options: SuiteOptions): Promise<Verdict[]> {
  const sites = Array.from({ length: options.jobs }, (_, index) => new Site(`${options.name}-${index + 1}`, HOSTS));
  const verdicts: Verdict[] = [];
  const queue = options.indices.values();
  try {
    await Promise.all(sites.map((site) => site.up()));
    const { ground, remove } = await prepareGround(sites[0] as Site);
    try {
      await Promise.all(sites.map((site) => work(site, { ground, queue, options, verdicts })));
    } finally {
      remove();
    }
  } finally {
    await Promise.all(sites.map((site) => site.down()));
  }
  return verdicts;
}

interface Work {
  readonly ground: Ground;
  readonly queue: Iterator<number>;
  readonly options: SuiteOptions;
  readonly verdicts: Verdict[];
}

async function work(site: Site, { ground, queue, options, verdicts }: Work): Promise<void> {
  for (let next = queue.next(); !next.done && !options.signal.aborted; next = queue.next()) {
    const verdict = await untilStruck(drawInjection(options.seed, next.value, options), site, ground);
    verdicts.push(verdict);
    options.onVerdict?.(verdict);
    // What one injection left must not be counted against the next.
    if (verdict.problems.length > 0 || !site.isWhole()) await site.up();
    else await site.tidy();
  }
}

async function untilStruck(drawn: Injection, site: Site, ground: Ground): Promise<Verdict> {
  for (let tries = 1, injection = drawn; ; tries += 1, injection = earlier(injection)) {
    const verdict = await inject(injection, site, ground);
    if (!verdict.missed || verdict.problems.length > 0 || tries === MOST_MISSES) return verdict;
  }
}

/** A sweep may be quicker than the one that the shares were taken from. */
function earlier(injection: Injection): Injection {
  const faults = injection.faults.map((fault) =>
    'share' in fault.when ? { ...fault, when: { share: 0.6 * fault.when.share } } : fault,
  );
  return { ...injection, faults };
}
