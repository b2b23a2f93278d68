import { html } from '../html.ts';
import type { PageSection } from './page-section.ts';
import { hasSizes } from './render-table.ts';

/** What abbreviations and terms mean. */
export const glossarySection: PageSection = {
  id: 'glossary',
  name: 'Words',
  title: 'Words',
  lead: 'Abbreviations and terms.',
  content: ({ campaign }) => {
    const words = hasSizes(campaign) ? WORDS : WORDS.filter(([word]) => !ABOUT_GRAPHS.includes(word));
    return [
      html`<dl class="glossary">${words.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>\n`)}</dl>\n`,
    ];
  },
};

/** What only programs with sizes have. */
const ABOUT_GRAPHS = ['Scale', 'TEPS'];

const WORDS: readonly (readonly [string, string])[] = [
  ['CT', 'Completion time: how long one timed run (of a BFS: one search) takes, in seconds.'],
  [
    'CTI',
    'Completion time increment: how much longer a timed run takes at a reduced bandwidth than at full bandwidth, in percent.',
  ],
  [
    'TEPS',
    'Traversed edges per second: the edges of the graph divided by CT. MTEPS are millions, GTEPS thousands of millions.',
  ],
  ['Scale', 'Size of the graph: 2^scale vertices and 16 times as many edges. One more doubles it.'],
  ['Bandwidth', 'The share of the line rate that each host was allowed to use, in each direction.'],
  ['Bandwidth demand', 'The smallest bandwidth at which the increment stays within a chosen level.'],
  [
    'α (alpha)',
    'How steeply communication slows down with less bandwidth: its time grows as α^(100/bw). 1 means no effect.',
  ],
  ['C1, C2', 'Fitted constants: the weight of computing (C1) and of communicating (C2).'],
  [
    'R²',
    'The share of the variation between measurements that a model explains (1 is all). It is not evidence for larger clusters.',
  ],
  ['MSE', 'Mean squared error: the mean of the squared differences between model and measurement, in s².'],
  ['Held out', 'Measured, but not used for the fit, to test predictions.'],
  ['Rank', 'One process of a parallel program; a node runs one or more.'],
];
