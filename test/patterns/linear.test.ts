import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readingCypher } from '../../analysis/profiles/graph/reading-cypher.ts';
import { splitWords } from '../../base/shell-words.ts';
import { expandHosts } from '../../inventory/expand-hosts.ts';
import { collectPatterns } from './collect.ts';
import { slowest } from './time.ts';

/** For the worst 8 MiB, ms of a processor. */
const MOST_MS = 1000;
/** A busy machine makes everything slower now and then, never faster. */
const TRIES = 4;

/** Patterns that are given nothing of the kind, and what shows it: a call that would hand them their worst text. */
const GUARDED: ReadonlyMap<string, () => void> = new Map([
  // Brackets that do not pair up are told before names are taken apart.
  // A statement that a person writes is short.
  [
    'analysis/profiles/graph/reading-cypher.ts',
    () => expect(() => readingCypher('/* '.repeat(2 ** 21))).toThrow('characters'),
  ],
  // So is a command line.
  ['base/shell-words.ts', () => expect(() => splitWords(`"${'0'.repeat(2 ** 18)}`)).toThrow('characters')],
  ['inventory/expand-hosts.ts', () => expect(() => expandHosts('['.repeat(2 ** 23))).toThrow('bracket')],
]);

const { patterns, given } = collectPatterns();

describe('regular expressions of the program', () => {
  it('take less than a second for 8 MiB of the worst text that their own parts make', {
    timeout: 1_200_000,
  }, async () => {
    const slow: string[] = [];
    const distinct = new Map(patterns.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern]));
    for (const pattern of distinct.values()) {
      const guard = GUARDED.get(pattern.where.replace(/:\d+$/, ''));
      if (guard !== undefined) {
        guard();
        continue;
      }
      let found = slowest(pattern);
      for (let tries = 1; found !== null && found.ms > MOST_MS && tries < TRIES; tries += 1) {
        const again = slowest(pattern, { patienceMs: 10_000 });
        if (again === null || again.ms < found.ms) found = again;
      }
      if (found !== null && found.ms > MOST_MS) {
        slow.push(
          `${pattern.where} /${pattern.source}/${pattern.flags}: ${found.ms} ms, ${JSON.stringify(found.pump)}`,
        );
      }
      await setImmediate();
    }
    expect(slow).toEqual([]);
  });

  it('are all found: literals, and what is compiled of constants and of words that only a run knows', () => {
    expect(patterns.length).toBeGreaterThan(400);
    const sources = new Set(patterns.map(({ source }) => source));
    // Of a constant of its file, of String.raw with one, and of a list that is joined.
    expect([...sources].find((source) => source.startsWith('^(\\d+(?:\\.\\d+)?)(?:\\.\\.(\\d+'))).toBeDefined();
    expect([...sources].find((source) => source.startsWith('^\\s*(?:(bfs|sssp)[ _]+)?'))).toContain('[eE][-+]?');
    expect([...sources].find((source) => source.startsWith('^proc-('))).toContain('|');
    expect(sources).toContain('predict-group word (\\d+)\\n');
    // What people write in a workload is compiled in one place, where looking for it has a bound.
    // Cypher's tokens are compiled of literals, for a text that is short.
    expect(given.map((where) => where.replace(/:\d+$/, ''))).toEqual([
      'analysis/profiles/graph/reading-cypher.ts',
      'experiments/workloads/user-pattern.ts',
    ]);
  });
});

describe('the texts that are tried', () => {
  it.each([
    ['a run that begins anew at each character', '\\s+$', ''],
    ['two runs of the same', '^\\s*(\\d+)\\s*(ms|s)?\\s*$', ''],
    ['a beginning that comes again and again', 'proxy .* (died|failed)', ''],
    ['a beginning with two words', 'PID (\\d+) RUNNING AT (\\S+)[\\s\\S]*?EXIT STRING: [^\\n]*\\(signal (\\d+)\\)', ''],
    ['an end that never comes', '\\{([^}]*)\\}', 'g'],
    ['a number that may be two', '^[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?$', ''],
    ['three runs', '^\\s*(.*?)\\s*\\/\\s*s\\s*$', ''],
    ['a word boundary', '\\bBenchmark (r\\w+ has (?:succe|failed).*)$', ''],
    ['a loop in a loop', '^(?:[\\w.]+,?)+$', ''],
    ['a branch of several', 'first|(?:a|second [^x]* y)|third', ''],
    ['a loop that takes more than the stack', '^(?:[^"\\\\]|\\\\.)*$', ''],
    ['a loop that must turn several times', '^-{20,}$', 'm'],
    ['what only another character behind shows', '([\\w$]+)\\W*$', ''],
    ['what only an end of a line behind its rest shows', '^\\s*Match(?:\\s*=\\s*|\\s+)(.*)$', 'i'],
    ['a count before a run', '^(\\d{9}):\\s+(.*?)\\s*$', ''],
  ])('find %s', (_, source, flags) => {
    const found = slowest({ where: 'a test', source, flags }, { patienceMs: 500 });
    expect(found?.ms).toBeGreaterThan(MOST_MS);
  });

  it.each([
    ['^[^"]*"$', ''],
    ['^(\\d+(?:\\.\\d+)?)\\s*(us|ms|s|m|min|h)?$', ''],
    ['\\{([^{}]*)\\}', 'g'],
    ['^\\[[^\\]\\s]+:\\d+\\] ', 'm'],
  ])('find nothing slow in /%s/', (source, flags) => {
    expect(slowest({ where: 'a test', source, flags })?.ms).toBeLessThan(MOST_MS);
  });
});
