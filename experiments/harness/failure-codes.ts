import { withoutEnd } from '../../base/text.ts';

/** The harness's failure codes, as its logs name them, in words. */
const WORDS: Readonly<Record<string, string>> = {
  DAT: 'the graph could not be loaded',
  INI: "the harness's runner did not start",
  TIM: 'it took longer than the timeout',
  EXE: "the platform's program failed",
  COM: 'it did not complete',
  VAL: 'its output differs from the reference',
  MET: 'it recorded no times',
};

/**
 * Why a run failed, as one sentence without its end. MET follows every other failure and says something by itself alone; `said` is
 * what the log says beside.
 */
export function reasonOf(codes: readonly string[], said: string | null): string {
  const telling = codes.length > 1 ? codes.filter((code) => code !== 'MET') : codes;
  const words = telling.map((code) => (Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : code));
  const what = words.length === 0 ? 'the harness reports a failure, but no log states the reason' : words.join(', ');
  return said === null ? what : `${what}: ${withoutEnd(said, '.')}`;
}
