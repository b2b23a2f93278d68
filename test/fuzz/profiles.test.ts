import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { CollapsedParser } from '../../analysis/profiles/formats/collapsed.ts';
import { ProfileBuilder } from '../../analysis/profiles/formats/profile-builder.ts';
import { readingCypher } from '../../analysis/profiles/graph/reading-cypher.ts';
import { NameTable } from '../../analysis/profiles/tree/call-tree.ts';
import { badInput } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { unpacked } from '../../base/unpack.ts';
import { answerProfileCase } from '../cases/profiles/answer-profile-case.ts';
import { foldedText, parseCollapsed } from '../cases/profiles/collapsed-text.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const fixture = (name: string): string =>
  readFileSync(join(projectRoot(), 'test/fixtures/profiles', name, 'input.json'), 'utf8');
const TEXT = 'main;f;g 3\nmain;f 2\r\n\nmain;[thread 7];a.b.<init>(int, long) 12\nπ;λ 4\n';

fuzz({
  name: 'collapsed stacks',
  inputs: damagedBytes([Buffer.from(TEXT)]),
  read: (bytes) => {
    const names = new NameTable();
    const parser = new CollapsedParser('x', { names, normalise: null });
    parser.push(Buffer.from(bytes));
    const { tree } = parser.end();
    const folded = foldedText(tree, names);
    const again = new NameTable();
    if (foldedText(parseCollapsed(folded, { what: 'again', names: again }).tree, again) !== folded)
      throw new Error('it folds to something else');
    return { own: [...tree.own], total: [...tree.total] };
  },
});

fuzz({
  name: 'cases of profiles',
  inputs: damagedTexts(['figure-4-2', 'appendix-b', 'expand-by-hand', 'correlation', 'weights'].map(fixture)),
  read: (text) => answerProfileCase(json(text), 'input.json'),
});

fuzz({
  name: 'recordings',
  inputs: fc.array(
    fc.record({
      frames: fc.array(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('a;b', '', ' ', '\n', '__proto__')),
      ),
      value: fc.oneof(fc.nat(9), fc.double()),
    }),
    { maxLength: 6 },
  ),
  read: (stacks) => {
    const names = new NameTable();
    const builder = new ProfileBuilder({ names, normalise: null });
    for (const { frames, value } of stacks) builder.add(frames, value);
    const { tree } = builder.build('x', 'seconds');
    const lines = foldedText(tree, names).split('\n').slice(0, -1);
    if (lines.length !== tree.own.filter((own) => own > 0).length) throw new Error('a code path broke a line');
    return [...tree.total];
  },
});

fuzz({
  name: 'statements in Cypher',
  inputs: damagedTexts([
    'MATCH (f:Function) /* a */ WHERE f.depth > 1 // b\nRETURN f.codePath AS `load`, "copy"',
    "CALL show_tables() RETURN name; CALL table_info('Function') RETURN *",
    "MATCH (f:Function) WHERE f.depth >= 1LOAD FROM 'x' RETURN *",
  ]),
  count: 600,
  read: readingCypher,
  isRight: (value) => {
    const bare = String(value).replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/gs, ' ');
    if (/(?:^|[^A-Z_])(?:LOAD|COPY|CREATE|INSTALL|ATTACH)\b|\/\*|\/\/|;\s*\S/i.test(bare)) throw new Error(bare);
  },
});

fuzz({
  name: 'gzip',
  inputs: damagedBytes([gzipSync(TEXT), gzipSync(Buffer.alloc(100_000))]),
  read: async (bytes) => {
    let count = 0;
    for await (const piece of unpacked([bytes], { path: 'x.gz', most: 1 << 20 })) count += piece.length;
    return count;
  },
});

/** A text that is not JSON is refused where files are read. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput('no JSON', error);
  }
}
