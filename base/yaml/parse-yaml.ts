import type { z } from 'zod';
import { badInput } from '../errors.ts';
import { closest, shortened } from '../text.ts';
import { type ReadYamlOptions, readYaml } from './read-yaml.ts';
import { keysAt, metaOf, schemaKeys, schemasAt, valueAt } from './schema-keys.ts';

/**
 * A YAML text checked against a schema, then by `check`, whose sentences are put behind the name of the key. Errors: badInput, a line
 * per fault in the order of the file: `path:line: what was received and what was expected`.
 */
export function parseYaml<T>(
  text: string,
  {
    path,
    schema,
    check = () => [],
    verbatim = [],
  }: ReadYamlOptions & {
    readonly schema: z.ZodType<T>;
    readonly check?: (value: T) => readonly Fault[];
  },
): T {
  const { value, lineOf } = readYaml(text, { path, verbatim });
  const parsed = schema.safeParse(value);
  const named = ({ at, sentence }: Fault): Fault => ({ at, sentence: `${nameOf(at)}: ${sentence}` });
  const faults = parsed.success ? check(parsed.data).map(named) : explain(parsed.error, { schema, root: value });
  if (parsed.success && faults.length === 0) return parsed.data;
  throw faulty(faults, { path, lineOf });
}

/** Everything that zod found wrong, in sentences. */
export function explain(
  error: z.core.$ZodError,
  checked: { readonly schema: z.ZodType; readonly root: unknown },
): readonly Fault[] {
  return error.issues.flatMap((issue) => explainIssue(issue, checked));
}

/** Lines of one message. */
const TOLD = 20;

/** One error about all faults of a file. */
export function faulty(
  faults: readonly Fault[],
  { path, lineOf }: { readonly path: string; readonly lineOf: (at: readonly PropertyKey[]) => number },
): Error {
  const placed = faults.map(({ at, sentence }) => ({ line: lineOf(at), sentence: withStop(sentence) }));
  placed.sort((a, b) => a.line - b.line);
  const lines = placed.slice(0, TOLD).map(({ line, sentence }) => `${path}:${line}: ${sentence}`);
  if (placed.length > TOLD) lines.push(`${path}: ${placed.length - TOLD} more faults.`);
  return badInput(lines.join('\n'));
}

/** Something wrong at one place of a file, for the line, and a sentence about it. */
export interface Fault {
  readonly at: readonly PropertyKey[];
  readonly sentence: string;
}

/** What a file's values are held against: its schema, and all that was read. */
interface Checked {
  readonly schema: z.ZodType;
  readonly root: unknown;
}

type Issue = z.core.$ZodIssue;

/** Unknown keys of one section for which a known one is looked for: a message has no more lines. */
const GUESSED = 40;

/** A zod issue as sentences that say what was received and what was expected. */
function explainIssue(issue: Issue, checked: Checked): readonly Fault[] {
  const { path } = issue;
  const value = valueAt(checked.root, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key, index) => ({
      at: [...path, key],
      sentence: index < GUESSED ? unknownKey(key, path, checked) : `unknown key '${shortened(key)}'.`,
    }));
  }
  const branch = issue.code === 'invalid_union' ? nearest(issue.errors, value) : undefined;
  if (branch !== undefined && (depth(branch) > 0 || !hasOwnWords(issue))) {
    return branch.flatMap((inner) => explainIssue({ ...inner, path: [...path, ...inner.path] }, checked));
  }
  if (hasOwnWords(issue) && value !== undefined) {
    return [{ at: path, sentence: withStop(`${nameOf(path)} is ${show(value)}: ${issue.message}`) }];
  }
  if (issue.code === 'invalid_union') {
    const { discriminator, options } = { discriminator: undefined, options: [], ...issue };
    if (discriminator !== undefined) return [{ at: path, sentence: noneOf(options.map(String), path, value) }];
    const kinds = issue.errors.flat().flatMap((each) => kindWord(each, path, checked) ?? []);
    return [{ at: path, sentence: wrongKind(path, value, { expected: [...new Set(kinds)], checked }) }];
  }
  const kind = issue.code === 'invalid_value' && value !== undefined ? null : kindWord(issue, path, checked);
  const sentence = kind === null ? wrongValue(issue, value) : wrongKind(path, value, { expected: [kind], checked });
  return [{ at: path, sentence }];
}

/** lineRate, ssh.port, hosts[0].name, rules > /Load: the path as people read it. */
function nameOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step, index) => {
    if (typeof step === 'number') return `[${step}]`;
    const text = String(step);
    return index === 0 ? text : /^[\w-]+$/.test(text) ? `.${text}` : ` > ${text}`;
  });
  return steps.length === 0 ? 'The file' : shortened(steps.join(''), 120);
}

export function withStop(sentence: string): string {
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}

function unknownKey(key: string, path: readonly PropertyKey[], { schema, root }: Checked): string {
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  const valid = keysAt(schema, path, root);
  const elsewhere = schemasAt(schema, [], root).flatMap((each) => schemaKeys(each));
  const guess = closest(key, valid) ?? elsewhere.find((known) => known.endsWith(`.${key}`));
  const help = guess === undefined ? `valid keys here are ${valid.join(', ')}.` : `did you mean '${guess}'?`;
  return `unknown key '${shortened(key)}'${where}: ${help}`;
}

/** Of a union the branch that takes such a kind of value and got furthest with it. */
function nearest(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | undefined {
  return branches
    .filter((branch) => branch.length > 0 && !branch.some((issue) => isWrongKind(issue, value)))
    .toSorted((a, b) => depth(b) - depth(a))[0];
}

const depth = (branch: readonly Issue[]): number => Math.max(0, ...branch.map(({ path }) => path.length));

/** The branch expected another kind of value altogether, or one word that this is not. */
function isWrongKind(issue: Issue, value: unknown): boolean {
  if (issue.path.length > 0) return false;
  return issue.code === 'invalid_type' || (issue.code === 'invalid_value' && (isSection(value) || isOneWord(issue)));
}

const isSection = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isOneWord = ({ values }: z.core.$ZodIssueInvalidValue): boolean => values.length === 1;

/** The schema has a sentence of its own in place of zod's. */
function hasOwnWords({ code, message }: Issue): boolean {
  return ['invalid_type', 'invalid_union', 'invalid_value'].includes(code) && !message.startsWith('Invalid ');
}

function wrongKind(
  path: readonly PropertyKey[],
  value: unknown,
  { expected, checked: { schema, root } }: { readonly expected: readonly string[]; readonly checked: Checked },
): string {
  const name = nameOf(path);
  const examples = schemasAt(schema, path, root).map((each) => metaOf(each, 'examples'));
  const example: unknown = examples.flat()[0];
  const wanted =
    example === undefined
      ? expected.join(' or ')
      : `for example ${path.length === 0 ? '' : `${name}: `}${written(example)}`;
  if (value === undefined) return `${name} is missing: expected ${wanted}.`;
  if (value === null) return `${name} is empty: expected ${wanted}.`;
  const quotes = expected.join() === 'text' && ['number', 'boolean'].includes(typeof value);
  const list = expected[0] === 'a list' && typeof value === 'string';
  const help = quotes
    ? `: put it in quotes, ${show(String(value))}`
    : list
      ? `: put '- ' before it on its own line`
      : '';
  return `${name} is ${show(value)}: expected ${expected.join(' or ')}${help}.`;
}

function wrongValue(issue: Issue, value: unknown): string {
  const name = nameOf(issue.path);
  const received = `${name} is ${show(value)}`;
  switch (issue.code) {
    case 'too_small':
      if (!issue.message.startsWith('Too ') && issue.origin !== 'array') return withStop(`${name}: ${issue.message}`);
      if (issue.origin === 'string') return `${name} is empty: expected text.`;
      if (issue.origin === 'array') {
        const help = issue.message.startsWith('Too ') ? 'expected at least one entry' : issue.message;
        return `${name} is an empty list: ${help}.`;
      }
      return `${received}: expected a number ${issue.inclusive === false ? 'above' : 'of at least'} ${issue.minimum}.`;
    case 'too_big':
      if (!issue.message.startsWith('Too ')) return withStop(`${name}: ${issue.message}`);
      return `${received}: expected a number of at most ${issue.maximum}.`;
    case 'invalid_value':
      return noneOf(issue.values.map(String), issue.path, value);
    case 'custom':
      return withStop(`${name}: ${issue.message}`);
    case 'invalid_key':
      return withStop(`${name}: ${issue.issues[0]?.message ?? issue.message}`);
    default:
      return withStop(`${received}: ${issue.message}`);
  }
}

function noneOf(words: readonly string[], path: readonly PropertyKey[], value: unknown): string {
  const expected = `expected ${words.length === 1 ? '' : 'one of '}${words.join(', ')}`;
  if (value === undefined) return `${nameOf(path)} is missing: ${expected}.`;
  const guess = typeof value === 'object' ? undefined : closest(String(value), words);
  return `${nameOf(path)} is ${show(value)}: ${expected}${guess === undefined ? '' : ` (did you mean '${guess}'?)`}.`;
}

/** The kind of value that an issue expected, in words; null where it is about more than the kind. */
function kindWord(issue: Issue, path: readonly PropertyKey[], { schema, root }: Checked): string | null {
  if (issue.code === 'invalid_value') return issue.values.map((value) => `'${String(value)}'`).join(' or ');
  if (issue.code !== 'invalid_type') return null;
  switch (issue.expected) {
    case 'string':
      return 'text';
    case 'int':
      return 'a whole number';
    case 'array':
      return 'a list';
    case 'boolean':
      return 'true or false';
    case 'record':
      return 'a section of names with values';
    case 'object':
      return `a section with the keys ${keysAt(schema, path, root).join(', ')}`;
    default:
      return `a ${issue.expected}`;
  }
}

/** A value as YAML on one line. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const pairs = Object.entries(value).map(([key, each]) => `${key}: ${written(each)}`);
  return `{ ${pairs.join(', ')} }`;
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'missing');
  return shortened(text);
}
