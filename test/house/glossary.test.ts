// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources of code are judged here.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { projectRoot } from '../../base/paths.ts';
import { BANNED, MOST_WORDS, NOT_YET } from './glossary.ts';
import { ROOMS, readSource, sourcesBelow } from './sources.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** A text that people read, and the line that it begins in. */
interface Words {
  readonly line: number;
  readonly text: string;
}

/** What stands for a value in a template. */
const VALUE = '\u2026';
/** Two words of letters with a blank between: neither a name nor an identifier. */
const PROSE = /[a-z]{2,}[,;:]? (?:[a-z(`'"\u2026])/i;
/** SQL, Cypher, shell, markup and style sheets. */
const CODE = /\b(?:SELECT|CREATE|COPY|MATCH|UNION ALL)\b|^#!|^\s*<|=> |\$\(|[{;][a-z-]+:/;

const root = projectRoot();

/** Literals and templates that read as prose; parts joined by + are one text. */
function stringsOf(source: string): Words[] {
  const found: Words[] = [];
  const lineOf = (start: number): number => source.slice(0, start).split('\n').length;
  const see = (node: Node): void => {
    if (/^(?:Import|Export(?:All|Named))/.test(node.type) && node.source) return;
    if (node.type === 'TSLiteralType') return;
    if (node.type === 'TaggedTemplateExpression' && (node.tag as Node).name === 'sh') return;
    const text = textOf(node);
    if (text !== null && PROSE.test(text) && !CODE.test(text)) found.push({ line: lineOf(node.start), text });
    (text === null ? childrenOf(node) : valuesIn(node)).forEach(see);
  };
  see(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return found;
}

/** The text of a literal, a template or a sum of them; null for any other expression. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral') {
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(VALUE);
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [textOf(node.left as Node), textOf(node.right as Node)];
  return left === null && right === null ? null : (left ?? VALUE) + (right ?? VALUE);
}

/** What is put into such a text. */
function valuesIn(node: Node): Node[] {
  if (node.type === 'Literal') return [];
  if (node.type === 'TemplateLiteral') return node.expressions as Node[];
  return [node.left as Node, node.right as Node].flatMap((side) => (textOf(side) === null ? [side] : valuesIn(side)));
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child);
}

/** The paragraphs of a Markdown text: no code, no addresses of links, names of files and fields, or names of tests in brackets. */
function paragraphsOf(markdown: string): Words[] {
  const blank = (text: string): string => text.replace(/[^\n]/g, '');
  const prose = markdown
    .replace(/^ {0,3}```.*?^ {0,3}```/gms, blank)
    .replace(/<!--.*?-->/gs, blank)
    .replace(/^ {4,}(?![-*\d]).*$/gm, blank)
    .replace(/(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\1(?!`)/gs, (code) => VALUE + blank(code))
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/\{[^}]*\}/g, (fields) => VALUE + blank(fields))
    .replace(/[\w./-]+\.(?:ts|c|mjs)\b/g, VALUE)
    .replace(/\[[a-z-]+\/[^\]]*: [^\]]*\]/g, '');
  const found: Words[] = [];
  let line = 1;
  for (const text of prose.split('\n\n')) {
    found.push({ line, text: text.replace(/\n +/g, '\n') });
    line += text.split('\n').length + 1;
  }
  return found;
}

/** `line: 'phrase': write what to write`, for each banned phrase. */
function bannedIn(texts: readonly Words[]): string[] {
  return texts.flatMap(({ line, text }) =>
    BANNED.flatMap(({ phrase, write }) => {
      const match = phrase.exec(text.replace(/\n/g, ' '));
      if (match === null) return [];
      const at = line + text.slice(0, match.index).split('\n').length - 1;
      return [`${at}: '${match[0]}': write '${write}'`];
    }),
  );
}

function tooLongIn(texts: readonly Words[]): string[] {
  return texts.flatMap(({ line, text }) =>
    text.split(/(?<=[.!?])\s+|\n+/).flatMap((sentence) => {
      const count = sentence.match(/[\w'’%…-]+/g)?.length ?? 0;
      return count > MOST_WORDS ? [`${line}: a sentence of ${count} words: make two of it: ${sentence}`] : [];
    }),
  );
}

const isDone = (file: string): boolean => !NOT_YET.some((beginning) => file.startsWith(beginning));

const shipped = sourcesBelow(ROOMS);
const strings = shipped.filter(isDone).map((file) => ({ file, texts: stringsOf(readSource(file)) }));
const inFiles = (find: (texts: readonly Words[]) => string[]): string[] =>
  strings.flatMap(({ file, texts }) => find(texts).map((fault) => `${file}:${fault}`));

test('the strings that people read use the words of the glossary', () => {
  expect(strings.flatMap(({ texts }) => texts).length).toBeGreaterThan(2000);
  expect(inFiles(bannedIn)).toEqual([]);
});

test(`no sentence of a string has more than ${MOST_WORDS} words`, () => {
  expect(inFiles(tooLongIn)).toEqual([]);
});

test('the docs use the words of the glossary', () => {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const own = files.filter((file) => !file.startsWith('test/'));
  expect(own.length).toBeGreaterThan(30);
  expect(own.flatMap((file) => bannedIn(paragraphsOf(readSource(file))).map((fault) => `${file}:${fault}`))).toEqual(
    [],
  );
});

test('the list of files that are not done yet has no file that is done', () => {
  const faults = (beginning: string): string[] =>
    shipped
      .filter((file) => file.startsWith(beginning))
      .map((file) => stringsOf(readSource(file)))
      .flatMap((texts) => [...bannedIn(texts), ...tooLongIn(texts)]);
  expect(NOT_YET.filter((beginning) => faults(beginning).length === 0)).toEqual([]);
});

test.each([
  ["badInput(`'${text}' is no number.`)", 1],
  ["say('the network starves ' + 'first')", 1],
  ['`${n} nodes: ${ok ? "cannot be said" : "fine"}`', 1],
  ["['hops', 'per search']", 0],
  ["print('9 hops in all')", 1],
  ["import { x } from 'some hops here'", 0],
  ["say('there is no number')", 0],
])('finds in %s %i banned phrases', (source, count) => {
  expect(bannedIn(stringsOf(source))).toHaveLength(count);
});

test('a fault of a doc has its line, and code and links are not read', () => {
  const doc = 'Fine.\n\n```sh\nthe keeper\n```\n\nOne `keeper` and [it](the-keeper.md).\nThen the\nkeeper ends.\n';
  expect(bannedIn(paragraphsOf(doc))).toEqual(["9: 'keeper': write 'watchdog'"]);
});
