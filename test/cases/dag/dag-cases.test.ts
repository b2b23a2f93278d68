import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Saturation } from '../../../analysis/dag/judge/judge.ts';
import { projectRoot } from '../../../base/paths.ts';
import { differences } from '../../analysis/dag/differences.ts';
import { dagCaseResult } from './print-dag-case.ts';
import { readDagCase } from './read-dag-case.ts';

const folder = process.env.PREDICT_DAG_CASES ?? join(projectRoot(), 'test/fixtures/dag');
const json = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

describe('shared cases of jobs', () => {
  for (const name of names) {
    it(`${name} is judged as it is expected`, () => {
      expect(
        differences(dagCaseResult(readDagCase(json(`${name}/input.json`))), json(`${name}/expected.json`)),
      ).toEqual([]);
    });
    if (!readdirSync(join(folder, name)).includes('expected-other-saturations.json')) continue;
    const others = json(`${name}/expected-other-saturations.json`) as Record<Saturation, unknown>;
    for (const [saturation, expected] of Object.entries(others) as [Saturation, unknown][]) {
      it(`${name} is judged as it is expected by the measure ${saturation}`, () => {
        const found = dagCaseResult(readDagCase(json(`${name}/input.json`), { saturation }));
        expect(differences(found, expected)).toEqual([]);
      });
    }
  }

  it('a cycle is refused with its way round', () => {
    expect(() => dagCaseResult(readDagCase(json('refused-cycle.json')))).toThrow(/cycle, 'a' -> 'b' -> 'a'/);
  });

  it('an edge to a vertex that is not there is refused with its name', () => {
    expect(() => dagCaseResult(readDagCase(json('refused-unknown-vertex.json')))).toThrow(/'ab' goes to 'b'/);
  });
});
