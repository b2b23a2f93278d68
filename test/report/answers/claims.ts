import type { Decisions } from '../../../modeling/answers/decide/decide.ts';
import type { Answers } from '../../../report/answers/answers-schema.ts';
import type { ReportData } from '../../../report/content/build-report.ts';

/** A sentence of a page or terminal that says another thing than the verdict, with the rule that it breaks. */
export interface Contradiction {
  readonly rule: string;
  readonly found: string;
}

/** What may be said only under some verdicts, wherever it is said. */
const CLAIMS: readonly { readonly words: RegExp; readonly isTrue: (answers: Answers) => boolean }[] = [
  { words: /More nodes help/g, isTrue: ({ moreNodes }) => moreNodes.verdict === 'yes' },
  { words: /More nodes do not help/g, isTrue: ({ moreNodes }) => moreNodes.verdict === 'no' },
  { words: /More nodes change little/g, isTrue: ({ moreNodes }) => moreNodes.verdict === 'equal' },
  { words: /We cannot tell whether more than/g, isTrue: ({ moreNodes }) => moreNodes.verdict === 'unknown' },
  { words: /A faster link helps/g, isTrue: ({ fasterLink }) => fasterLink.verdict === 'yes' },
  { words: /A faster link does not help/g, isTrue: ({ fasterLink }) => fasterLink.verdict === 'no' },
  { words: /We cannot tell whether a faster link/g, isTrue: ({ fasterLink }) => fasterLink.verdict === 'unknown' },
  // Never said, because the answers say it: words of other times.
  {
    words:
      /goes on falling|still gains from more nodes|no turn is seen|Buy (?:no )?more nodes|Buy (?:a|no) faster link/g,
    isTrue: () => false,
  },
  {
    words: /time is least on about|are fastest \(90 %/g,
    isTrue: ({ moreNodes }) => moreNodes.verdict === 'yes' || moreNodes.verdict === 'no',
  },
];

/** A node count beyond the measured ones from which something is said to be so. */
const FROM_NODES = /(?:from|on) ([\d.]+) nodes on\b/g;
const NEEDED = /([\d.]+ %)(?: or less)?(?: \(90 % interval [^)]*\))? of the link keeps a \w+ on (\d+) node/g;
const SLOWER = /at most 10 % slower than on the full link, (\d+) nodes? needs? ([\d.]+ %)/g;

/** Everything in a text that contradicts the answers. */
export function contradictions(text: string, answers: Answers): Contradiction[] {
  const claims = CLAIMS.filter(({ isTrue }) => !isTrue(answers)).flatMap(({ words }) =>
    [...text.matchAll(words)].map(({ index }) => ({ rule: words.source, found: text.slice(index, index + 160) })),
  );
  const { moreNodes, bandwidthNeeded, setting } = answers;
  const beyond = [...text.matchAll(FROM_NODES)]
    .filter(([, count]) => Number(count) > moreNodes.within)
    .map(({ index }) => ({ rule: 'nothing is said beyond predictions', found: text.slice(index - 60, index + 80) }));
  const percents = [
    ...[...text.matchAll(NEEDED)].map(([found, percent, nodes]) => ({ found, percent, nodes: Number(nodes) })),
    ...[...text.matchAll(SLOWER)].map(([found, nodes, percent]) => ({ found, percent, nodes: Number(nodes) })),
  ].filter(({ nodes }) => nodes === setting.nodes);
  const others = percents
    .filter(({ percent }) => percent !== bandwidthNeeded.short.replace(' or less', ''))
    .map(({ found }) => ({ rule: `needed: ${bandwidthNeeded.short}`, found }));
  return [...claims, ...beyond, ...others];
}

/** What the numbers of a report contradict. */
export function wrongNumbers({ answers, projections, demand, decisions, dominance }: ReportData): Contradiction[] {
  if (answers === null) return [];
  const { moreNodes, setting, trust, bandwidthNeeded } = answers;
  const wrong: Contradiction[] = [];
  const [chosen] = projections;
  const own = projections.filter(({ fit }) => fit === chosen?.fit);
  const said = own.filter(
    ({ nodes, abstains }) => nodes > moreNodes.within && nodes > setting.nodes && abstains === null,
  );
  const here = said.filter(({ scale, bw }) => scale === setting.scale && bw === setting.bw);
  for (const row of here) wrong.push({ rule: 'no projection beyond predictions', found: JSON.stringify(row) });
  if (trust.verdict === 'disbelieved') {
    for (const row of own.filter(({ nodes, abstains }) => nodes > Math.max(...trust.predicted) && abstains === null)) {
      wrong.push({ rule: 'a disbelieved model predicts', found: JSON.stringify(row) });
    }
    for (const found of decisions) wrong.push({ rule: 'a disbelieved model decides', found });
    for (const row of dominance.filter(({ fit, nodes }) => fit === chosen?.fit && (nodes ?? 0) > setting.nodes)) {
      wrong.push({ rule: 'a disbelieved model names a crossover', found: JSON.stringify(row) });
    }
  }
  const row = demand.find(
    ({ source, nodes, scale, ctiPercent }) =>
      source === 'fit' && nodes === setting.nodes && scale === setting.scale && ctiPercent === 10,
  );
  if (row !== undefined && bandwidthNeeded.basis === 'model' && row.bw !== bandwidthNeeded.percent?.value) {
    wrong.push({ rule: 'the needed bandwidth of the table', found: `${row.bw}, ${bandwidthNeeded.percent?.value}` });
  }
  if (moreNodes.verdict === 'yes' && (moreNodes.saving?.percent.low ?? 0) < 10) {
    wrong.push({ rule: 'yes by the whole interval', found: JSON.stringify(moreNodes.saving) });
  }
  return wrong;
}

/** What the clusters to choose from contradict, at the main configuration. */
export function wrongDecisions({ diminishing, options }: Decisions, answers: Answers): Contradiction[] {
  const { moreNodes, setting, trust } = answers;
  const wrong: Contradiction[] = [];
  for (const one of options) {
    const isBeyond = one.nodes > Math.max(moreNodes.within, setting.nodes);
    if (one.abstains === null && isBeyond) {
      wrong.push({ rule: 'no time beyond predictions', found: `${one.nodes} nodes` });
    }
  }
  for (const { definition, nodes, abstains } of diminishing) {
    if (abstains !== null) continue;
    const isWithin = nodes.value !== null && nodes.value < setting.nodes;
    const found = `${definition} from ${nodes.value} nodes on`;
    if (trust.verdict === 'disbelieved')
      wrong.push({ rule: 'a disbelieved model tells where nodes stop helping', found });
    if (moreNodes.verdict === 'yes' && isWithin && definition === 'time-rises') {
      wrong.push({ rule: 'time falls where more nodes help', found });
    }
    if (moreNodes.verdict === 'yes' && isWithin && definition === 'doubling-gains-less') {
      wrong.push({ rule: 'doubling pays where more nodes help', found });
    }
    if (moreNodes.verdict === 'no' && !isWithin && definition === 'doubling-gains-less') {
      wrong.push({ rule: 'doubling does not pay where more nodes do not help', found });
    }
  }
  return wrong;
}
