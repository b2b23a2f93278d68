import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { graphCaseResult, readGraphCase } from '../../../analysis/path/formats/index.ts';

const FOLDER = new URL('../../fixtures/critical-path/graphs/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

test.each(['balanced', 'broken', 'fig31', 'three'])(
  'the graph %s has the paths, counts and violations that are known',
  (name) => {
    const graphCase = readGraphCase(read(`${name}.json`));
    if (graphCase === null) throw new Error('not read');
    expect(graphCaseResult(graphCase)).toEqual(read(`${name}.expected.json`));
  },
);
