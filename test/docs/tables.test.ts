import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COUNTS, NUMBERS, RANGES, SIZES, TIMES } from '../../base/bounds.ts';
import { projectRoot } from '../../base/paths.ts';
import { formatSeconds } from '../../base/units.ts';
import { STACK_COLUMNS } from '../../experiments/stacks/stack-columns.ts';
import { MESSAGE_COLUMNS, SPAN_COLUMNS, type TraceColumn } from '../../experiments/trace.ts';
import { commandsOf } from '../../orchestrator/cli/register/add-command.ts';
import { registerAll } from '../../orchestrator/cli/register/register-all.ts';
import { fileSchema } from '../../orchestrator/cli/schema-command.ts';

/** What of JSON Schema our schemas use. */
interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly description?: string;
}

const sweep = commandsOf(registerAll()).find(({ words }) => words.join() === 'sweep')?.command;
const schemaOf = (kind: string): Node => fileSchema(kind, sweep ?? registerAll()) as Node;

/** Each field of the answers: path (`[]`: of each of a list), kind, meaning. What every answer has is said once, above. */
function answerFields(node: Node, path = ''): readonly string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, own]) => {
    const one = inside(own);
    const below = answerFields(
      one.type === 'array' ? inside(one.items ?? {}) : one,
      `${path}${name}${one.type === 'array' ? '[].' : '.'}`,
    );
    const rest = isEstimate(one) ? [] : below;
    if (LINE.includes(name) && path.split('.').length === 2) return rest;
    const meaning = own.description ?? one.description;
    if (meaning === undefined && kindOf(own).startsWith('object')) return rest;
    return [`- \`${path}${name}\` (${kindOf(own)})${meaning === undefined ? '' : `: ${meaning}`}`, ...rest];
  });
}

const LINE = ['question', 'short', 'sentence', 'detail'];
const isEstimate = (node: Node): boolean => Object.keys(node.properties ?? {}).join() === 'value,low,high';

function inside(node: Node): Node {
  return node.anyOf?.find(({ type }) => type !== 'null') ?? node;
}

function kindOf(node: Node): string {
  const one = inside(node);
  const or = node.anyOf === undefined ? '' : ' or null';
  if (one.enum) return one.enum.map((value) => `\`${value}\``).join(', ') + or;
  if (one.const !== undefined) return `${one.const}`;
  if (isEstimate(one)) return `estimate${or}`;
  if (one.type === 'array')
    return `list${inside(one.items ?? {}).properties ? '' : ` of ${inside(one.items ?? {}).type}s`}${or}`;
  return `${[one.type].flat().join(' or ')}${or}`;
}

interface Key {
  readonly key: string;
  readonly meaning: string;
}

/** Each key of a file that people write, with what the schema says of it. A section of free names (`env`) has none below it. */
function keysOf(node: Node, path = ''): readonly Key[] {
  const [objects, lists] = [variantsOf(node), variantsOf(node, 'array')];
  return [
    ...lists.flatMap(({ items }) => keysOf(items ?? {}, `${path.slice(0, -1)}[].`)),
    ...objects.flatMap(({ properties, required }) =>
      Object.entries(properties ?? {}).flatMap(([name, own]) => [
        { key: `${path}${name}`, meaning: meaningOf(own, required?.includes(name) === true && path === '') },
        ...keysOf(own, `${path}${name}.`),
      ]),
    ),
  ];
}

function variantsOf(node: Node, type = 'object'): readonly Node[] {
  return [node, ...(node.anyOf ?? [])].filter((each) => each.type === type);
}

function meaningOf(own: Node, isRequired: boolean): string {
  const usual = own.default === undefined || typeof own.default === 'object' ? '' : `; default ${own.default}`;
  const choice = own.enum === undefined ? '' : ` (${own.enum.join(', ')})`;
  return own.description === undefined ? '' : `${own.description}${choice}${usual}${isRequired ? '; required' : ''}`;
}

const listed = (keys: readonly Key[]): string => keys.map(({ key, meaning }) => `- \`${key}\`: ${meaning}`).join('\n');

/** Keys of each kind of workload that people write. */
function workloadKeys(): readonly (readonly [string, readonly Key[]])[] {
  return (schemaOf('workload').oneOf ?? [])
    .map((kind) => [`${kind.properties?.kind?.const}`, keysOf(kind)] as const)
    .filter(([name]) => name !== 'graph500' && name !== 'graphalytics')
    .map(([name, keys]) => [name, keys.filter(({ key }) => key !== 'kind' && key !== 'name')]);
}

/** A section for each kind; keys that mean the same as in one before it are only named. */
function workloadSections(): string {
  const said = new Set<string>();
  return workloadKeys()
    .map(([name, keys]) => {
      const isSaid = ({ key, meaning }: Key): boolean => said.has(`${key} ${meaning}`);
      const old = keys.filter((each) => isSaid(each) && !each.key.includes('.')).map(({ key }) => `\`${key}\``);
      const text = `### kind: ${name}\n\n${listed(keys.filter((each) => !isSaid(each)))}`;
      for (const { key, meaning } of keys) said.add(`${key} ${meaning}`);
      return old.length === 0 ? text : `${text}\n- as above: ${old.join(', ')}`;
    })
    .join('\n\n');
}

const BOUNDS = [
  ...Object.entries(TIMES).map(([flag, { least, most }]) => [
    flag,
    `${formatSeconds(least)} to ${formatSeconds(most)}`,
  ]),
  ...Object.entries({ ...COUNTS, ...NUMBERS, ...RANGES }).map(([flag, { least, most }]) => [
    flag,
    `${least} to ${most === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : most}`,
  ]),
];

/** Flags by range, so that each range stands once. */
function bounds(): string {
  const flags = new Map<string, string[]>();
  for (const [flag = '', range = ''] of BOUNDS) flags.set(range, [...(flags.get(range) ?? []), `\`${flag}\``]);
  return [...flags].map(([range, each]) => `- ${range}: ${each.join(', ')}`).join('\n');
}

function columns(
  kind: string,
  of: readonly Pick<TraceColumn, 'name' | 'meaning'>[],
  required?: ReadonlySet<string>,
): string {
  const rows = of.map(({ name, meaning }) => `- \`${name}\`: ${meaning}${required?.has(name) ? '; required' : ''}`);
  return `\`${kind}.parquet\`: \`cell, ${of.map(({ name }) => name).join(', ')}\`\n\n${rows.join('\n')}`;
}

const required = (of: readonly TraceColumn[]): ReadonlySet<string> =>
  new Set(of.filter((each) => each.required).map(({ name }) => name));

const PAGE = `# Tables

Made of the schemas and tables of the program by \`npx vitest run test/docs/tables.test.ts -u\`. Edit those, not this page.
\`predict schema inventory\`, \`workload\`, \`campaign\` and \`answers\` print the same as JSON Schema.

## Inventory keys

${listed(keysOf(schemaOf('inventory')))}

## Workload keys

Every workload file has \`kind\` and \`name\`.

${workloadSections()}

## Answers

Each answer has \`question\`, \`short\`, \`sentence\` and \`detail\` (or null) too. An estimate is {value, low, high}: a median and its 90 %
interval; null lies beyond all that was looked at.

${answerFields(schemaOf('answers')).join('\n')}

## Columns of traces

${columns('phases', SPAN_COLUMNS, required(SPAN_COLUMNS))}

Any other column of phases is a key: a whole number that tells phases of one name apart, empty where it does not apply.

${columns('messages', MESSAGE_COLUMNS, required(MESSAGE_COLUMNS))}

${columns('stacks', STACK_COLUMNS)}

## Bounds of flags

Both ends are included. \`--scales\` has the range of \`--scale\`; \`--bw\` goes to 10000 with the volume model. Link rates go from 1kbit to 10tbit.
One command makes at most ${SIZES.cells} cells, ${SIZES.projections} projections, ${SIZES.estimates} estimates (projections times \`--bootstrap\`) and ${SIZES.slices} slices.

${bounds()}
`;

test('docs/tables.md is what the schemas say', async () => {
  await expect(PAGE).toMatchFileSnapshot(join(projectRoot(), 'docs/tables.md'));
});

test.each([['inventory', keysOf(schemaOf('inventory'))], ...workloadKeys()] as const)(
  'each key of %s has a meaning',
  (_, keys) => {
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter(({ meaning }) => meaning === '').map(({ key }) => key)).toEqual([]);
  },
);
