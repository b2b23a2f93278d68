import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROFILE_FORMATS } from '../../analysis/profiles/formats/profile-format.ts';
import { projectRoot } from '../../base/paths.ts';
import { type Form, formula } from '../../modeling/forms/form.ts';
import { models } from '../../modeling/forms/models.ts';

const read = (page: string): string => readFileSync(join(projectRoot(), 'docs', page), 'utf8');

/** As it stands in the table: the sum, with the power of D where that is an unknown. */
function modelRow(form: Form): string {
  const sum = formula(form)
    .replace(/^CT = |, .*$/g, '')
    .replaceAll('*', ' ');
  const varies = (['nodes', 'bw', 'scale'] as const).filter((variable) => !form.fixed.includes(variable));
  return `| \`${form.name}\` | ${form.freeSize ? sum.replaceAll('D', 'D^a') : sum} | ${varies.join(', ')} |`;
}

test('docs/methods.md has a row for each model that has a name: its formula, and what varies', () => {
  const rows = [...read('methods.md').matchAll(/^(\| `\w+`)[^|]*(\|.*)$/gm)].map(([, name, rest]) => `${name} ${rest}`);
  expect(rows.filter((row) => !row.startsWith('| `traffic` '))).toEqual(Object.values(models).map(modelRow));
});

test('docs/profiles.md says of each format what is read of it', () => {
  const page = read('profiles.md');
  expect(PROFILE_FORMATS.filter((name) => !page.includes(`\n- \`${name}\` (`))).toEqual([]);
});
