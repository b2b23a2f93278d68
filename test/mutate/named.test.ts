import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { NAMED } from './named.ts';

it.each(NAMED.map((fault) => [fault.what, fault] as const))('%s: its text stands once in its file', (_, fault) => {
  expect(readFileSync(join(projectRoot(), fault.file), 'utf8').split(fault.from)).toHaveLength(2);
});
