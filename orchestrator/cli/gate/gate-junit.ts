import { printableLine } from '../../../base/text.ts';
import {
  type ComparedCampaigns,
  cellVerdict,
  describeGateVerdict,
  formatChange,
  type GateAnswer,
  meanSentence,
  placeText,
  seesSentence,
} from '../../../report/answers/gate-answer.ts';

/** One test of a gate: `seconds` null where nothing was measured, `problem` null where it passed. */
interface TestCase {
  readonly name: string;
  readonly seconds: number | null;
  readonly problem: { readonly kind: 'failure' | 'skipped'; readonly message: string } | null;
}

/**
 * A gate as JUnit XML (https://github.com/testmoapp/junitxml): a test for the mean and one for each configuration, those whose runs
 * failed among them. What is undecided is skipped, with --strict a failure.
 */
export function renderJunit({ dir, against, comparison }: ComparedCampaigns, gate: GateAnswer): string {
  const { cells, failed } = comparison;
  const tests: TestCase[] = [
    {
      name: `mean of ${cells.length} configurations`,
      seconds: null,
      problem: problemOf(gate.mean.verdict, meanSentence(gate), gate),
    },
    ...cells.map((cell) => {
      const verdict = cellVerdict(cell, gate);
      const message = `${formatChange(cell.ratio.value)}: ${describeGateVerdict(verdict, gate.limitPercent)}.`;
      return { name: placeText(cell), seconds: cell.seconds, problem: problemOf(verdict, message, gate) };
    }),
    ...failed.map((place) => {
      const problem = { kind: 'failure' as const, message: `Its runs failed; ${against} has times of it.` };
      return { name: placeText(place), seconds: null, problem };
    }),
  ];
  const count = (kind: 'failure' | 'skipped'): number => tests.filter(({ problem }) => problem?.kind === kind).length;
  const suite = attributes({
    ...{ name: `${dir} against ${against}`, tests: tests.length },
    ...{ failures: count('failure'), errors: 0, skipped: count('skipped') },
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${suite}>`,
    ...tests.map((test) => testLine(test, dir)),
    `    <system-out>${escaped(`${meanSentence(gate)} ${seesSentence(gate)}`)}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function problemOf(
  verdict: GateAnswer['mean']['verdict'],
  message: string,
  { strict }: GateAnswer,
): TestCase['problem'] {
  if (verdict === 'allowed') return null;
  return { kind: verdict === 'slower' || strict ? 'failure' : 'skipped', message };
}

function testLine({ name, seconds, problem }: TestCase, dir: string): string {
  const start = `    <testcase${attributes({ classname: dir, name, ...(seconds === null ? {} : { time: Number(seconds.toPrecision(6)) }) })}`;
  return problem === null
    ? `${start}/>`
    : `${start}><${problem.kind}${attributes({ message: problem.message })}/></testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 has no control characters, halves of surrogates, U+FFFE and U+FFFF, not even as references. */
function escaped(text: string): string {
  return printableLine(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
