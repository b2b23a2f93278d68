import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { printableLine } from '../../base/text.ts';
import type { Judged } from '../../modeling/judge/gate.ts';
import type { CommonCell } from '../../modeling/questions/compare-campaigns.ts';
import { renderJunit } from '../../orchestrator/cli/gate/gate-junit.ts';
import { renderMarkdown } from '../../orchestrator/cli/gate/gate-markdown.ts';
import type { ComparedCampaigns, GateAnswer } from '../../report/answers/gate-answer.ts';

const UGLY = [
  'a & b < c > "d" \'e\'',
  ']]> <!-- --> <?x?>',
  '\u001b[31m\u0000\ufffe\uffff\ud800',
  'line\nbreak\ttab',
  '`|` @all *x*',
];

function cellOf(program: string, value = 1): CommonCell {
  const ratio = { value, low: value / 1.01, high: value * 1.01 };
  return {
    program,
    nodes: 4,
    scale: 10,
    bw: 50,
    seconds: value,
    against: 1,
    ratio,
    differs: value > 1 ? 'slower' : null,
  };
}

function judged(verdict: Judged['verdict']): Judged {
  return { verdict, value: 1.1, low: 1.06, high: 1.14, seesPercent: 9 };
}

/** A comparison of one cell that is slower, one that is undecided, one that is neither and one whose runs failed. */
function compared(program: string, strict = false): ComparedCampaigns & { readonly gate: GateAnswer } {
  const cells = [cellOf(program, 1.5), cellOf('open'), cellOf('same')];
  const gate: GateAnswer = {
    ...{ limitPercent: 5, strict, passed: false, mean: judged('slower') },
    seesPercent: { mean: 9, bestCell: 12, worstCell: 2000 },
    ...{ above: [at(cells, 0)], undecided: [at(cells, 1)] },
  };
  const mean = { value: 1.1, low: 1.05, high: 1.15 };
  const failed = [{ program: 'lost', nodes: 9, scale: 10, bw: 50 }];
  const comparison = { level: 0.9, cells, mean, gate: null, onlyHere: 0, onlyAgainst: 0, failed, warnings: [program] };
  return { dir: program, against: 'before', comparison, gate };
}

/** What expat, by way of Python, makes of XML documents: of each test its attributes, the kind of problem and its message. */
async function parsed(documents: readonly string[]): Promise<(string | null)[][][]> {
  const script = `
import json, sys, xml.etree.ElementTree as tree
def told(test):
    problem = test[0] if len(test) else None
    words = [test.get('classname'), test.get('name'), test.get('time')]
    return words + ([None, None] if problem is None else [problem.tag, problem.get('message')])
roots = [tree.fromstring(text.encode('utf-8')) for text in json.load(sys.stdin)]
print(json.dumps([[told(test) for test in root.iter('testcase')] for root in roots]))`;
  const { stdout } = await execa('/usr/bin/python3', ['-c', script], { input: JSON.stringify(documents) });
  return JSON.parse(stdout);
}

describe('JUnit XML', () => {
  test('is a test for the mean and for each configuration, those that failed among them', async () => {
    const both = [compared('bfs'), compared('bfs', true)];
    const [loose = [], strict = []] = await parsed(both.map((each) => renderJunit(each, each.gate)));
    expect(loose.map(([, name, time, kind]) => [name, time, kind])).toEqual([
      ['mean of 3 configurations', null, 'failure'],
      ['bfs, 4 nodes, scale 10, 50 %', '1.5', 'failure'],
      ['open, 4 nodes, scale 10, 50 %', '1', 'skipped'],
      ['same, 4 nodes, scale 10, 50 %', '1', null],
      ['lost, 9 nodes, scale 10, 50 %', null, 'failure'],
    ]);
    expect(loose[1]?.[4]).toBe('+50.0 %: slower by more than 5 %.');
    expect(strict.map(([, , , kind]) => kind)).toEqual(['failure', 'failure', 'failure', null, 'failure']);
    expect(renderJunit(at(both, 0), at(both, 0).gate)).toContain('tests="5" failures="3" errors="0" skipped="1"');
  });

  test('is well-formed for any name, and says it', async () => {
    const names = [...UGLY, ...fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 200, seed: 5 })];
    const answers = await parsed(names.map((name) => renderJunit(compared(name), compared(name).gate)));
    const said = answers.map(([, cell]) => cell?.[0]);
    expect(said).toEqual(names.map((name) => printableLine(name).replace(/[\ufffe\uffff]/g, '\ufffd')));
  });
});

describe('Markdown', () => {
  test.each([
    [false, 'Slower than allowed', 1],
    [true, 'Slower than allowed', 2],
  ])('with --strict %s has what needs a look on top and the rest folded', (strict, heading, rows) => {
    const text = renderMarkdown(compared('bfs', strict));
    const [top = '', folded = ''] = text.split('<details>');
    expect(top).toContain(`### ${heading}: \`bfs\` against \`before\``);
    expect(top.match(/^\| `/gm)).toHaveLength(rows);
    expect(top).toContain('| `bfs, 4 nodes, scale 10, 50 %` | 1 s | 1.5 s | +50.0 % | +48.5 % to +51.5 % |');
    expect(top).toContain('Failed: `lost, 9 nodes, scale 10, 50 %`.');
    expect(folded.match(/^\| `/gm)).toHaveLength(3 - rows);
  });

  test('keeps any name inside its cell', () => {
    for (const name of UGLY) {
      const rows = renderMarkdown(compared(name))
        .split('\n')
        .filter((line) => line.startsWith('| `'));
      expect(rows).toHaveLength(3);
      for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(7);
    }
    expect(renderMarkdown(compared('a`b'))).toContain('| `` a`b, 4 nodes, scale 10, 50 % `` |');
  });
});
