import { expect, test } from 'vitest';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { readCase } from '../cases/grade10/read-case.ts';
import { runCase } from './case-output.ts';
import { consumable, makeCase, type Written } from './make-case.ts';

const HOSTS: Written['resource_spec'] = {
  name: '',
  children: [{ name: 'host', repeat: 'many', key: 'id', metrics: [{ name: 'cpu', class: 'consumable' }] }],
};

test.each([
  ['start late', [2, 10], '2 of 10', [0, 0, 3, 3, 3, 3, 3, 3, 3, 3]],
  ['end early', [0, 9], '1 of 10', [3, 3, 3, 3, 3, 3, 3, 3, 3, 0]],
  ['do both', [4, 6], '8 of 10', [0, 0, 0, 0, 3, 3, 0, 0, 0, 0]],
])('readings that %s count as unused outside, and that is told', (_, bounds, slices, sampled) => {
  const input = makeCase({
    resource_spec: HOSTS,
    metrics: [consumable('/host[id=0]/cpu', { capacity: 4, bounds, rates: [3] })],
  });
  expect(createModel(readCase(input)).notices).toEqual([
    `/host[id=0]/cpu was not measured in ${slices} slices, at the start or the end of the job: it counts as unused there.`,
  ]);
  expect(runCase(input).sampled).toEqual({ '/host[id=0]/cpu': sampled });
});
