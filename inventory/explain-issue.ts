import type { z } from 'zod';
import { closest, own, shortened } from '../base/index.ts';
import { inventoryKeys, keysAt } from './schema-keys.ts';

/** One thing that is wrong with the file: where (for the line) and a sentence about it. */
export interface InventoryProblem {
  readonly path: readonly PropertyKey[];
  readonly sentence: string;
}

type Issue = z.core.$ZodIssue;

/** Unknown keys of one section: a message has no more lines. */
const TOLD = 40;

const EXAMPLES: Readonly<Record<string, string>> = {
  cluster: 'cluster: my-cluster',
  hosts: 'hosts: ["node[01-04]"]',
  network: 'network: { interface: eth0 }',
  lineRate: 'lineRate: 200mbit',
};

/** A zod issue as sentences that say what was received and what was expected. `root` is the value that was checked. */
export function explainIssue(issue: Issue, root: unknown): readonly InventoryProblem[] {
  const { path } = issue;
  const value = valueAt(root, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, TOLD).map((key) => ({ path: [...path, key], sentence: unknownKey(key, path) }));
  }
  if (issue.code === 'invalid_union') {
    const fitting = issue.errors.find((branch) => !branch.some(isWrongKind));
    if (fitting !== undefined) {
      return fitting.flatMap((inner) => explainIssue({ ...inner, path: [...path, ...inner.path] }, root));
    }
    const kinds = issue.errors.flat().filter(isWrongKind);
    return [{ path, sentence: wrongKind(path, value, [...new Set(kinds.map((kind) => kindWord(kind, path)))]) }];
  }
  if (issue.code === 'invalid_type') {
    return [{ path, sentence: wrongKind(path, value, [kindWord(issue, path)]) }];
  }
  return [{ path, sentence: wrongValue(issue, value) }];
}

/** lineRate, ssh.port, hosts[0].name: the path as people read it. */
export function nameOf(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text === '' ? 'The file' : text.slice(1);
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  const valid = keysAt(path);
  const guess = closest(key, valid) ?? inventoryKeys().find((known) => known.endsWith(`.${key}`));
  const help = guess === undefined ? `valid keys here are ${valid.join(', ')}.` : `did you mean '${guess}'?`;
  return `unknown key '${shortened(key)}'${where}: ${help}`;
}

function wrongKind(path: readonly PropertyKey[], value: unknown, expected: readonly string[]): string {
  const name = nameOf(path);
  const example = own(EXAMPLES, name);
  const wanted = example === undefined ? expected.join(' or ') : `for example ${example}`;
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
      if (issue.origin === 'string') return `${name} is empty: expected text.`;
      if (issue.origin === 'array') return `${name} is an empty list: ${issue.message}.`;
      return `${received}: expected a number ${issue.inclusive === false ? 'above' : 'of at least'} ${issue.minimum}.`;
    case 'too_big':
      return `${received}: expected a number of at most ${issue.maximum}.`;
    case 'invalid_value': {
      const guess = closest(String(value), issue.values.map(String));
      const help = guess === undefined ? '' : ` (did you mean '${guess}'?)`;
      return `${received}: expected one of ${issue.values.join(', ')}${help}.`;
    }
    case 'invalid_format':
      return `${received}: ${issue.message}.`;
    case 'custom':
      if (name === 'lineRate' && /^0+(\.0+)?\s*[a-z/]*$/i.test(String(value).trim())) {
        return `${received}: a link needs a line rate above zero, such as 200mbit.`;
      }
      return `${name}: ${issue.message.replace(/\.$/, '')}.`;
    default:
      return `${received}: ${issue.message}.`;
  }
}

/** The branch of a union expected another kind of value altogether. */
function isWrongKind(issue: Issue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

function kindWord({ expected }: z.core.$ZodIssueInvalidType, path: readonly PropertyKey[]): string {
  switch (expected) {
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
      return `a section with the keys ${keysAt(path).join(', ')}`;
    default:
      return `a ${expected}`;
  }
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return shortened(text);
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value;
}
