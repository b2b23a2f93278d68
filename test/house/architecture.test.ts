import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { groupBy } from '../../base/lists.ts';
import { LAYERS, ROOMS, readSource, sourcesBelow } from './sources.ts';

/** What of another file is imported, with `await import(...)` too. */
interface Import {
  readonly from: string;
  /** Empty where all of it is. */
  readonly names: readonly string[];
  /** Loads nothing. */
  readonly isType: boolean;
}

interface FileFacts {
  readonly imports: readonly Import[];
  /** Names that it declares and exports. */
  readonly exports: readonly string[];
  readonly long: readonly string[];
}

const product = sourcesBelow(ROOMS);
const isFace = (file: string): boolean => basename(file) === 'index.ts';
const roomOf = (file: string): string => file.split('/')[0] ?? '';
const facts = new Map([...product, ...sourcesBelow(['test'])].map((file) => [file, readFile(file)]));
const inProduct = product.filter((file) => !isFace(file));
const importsIn = (file: string): readonly Import[] => facts.get(file)?.imports ?? [];

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What a file imports, exports, and has of functions with more lines than one sees at once: each file is parsed once. */
function readFile(file: string): FileFacts {
  const source = readSource(file);
  const { body } = parseAst(source, { lang: 'ts' }) as unknown as { readonly body: readonly Node[] };
  const [imports, long]: [Import[], string[]] = [[], []];
  const add = (source: unknown, names: readonly string[], isType: boolean): void => {
    const spec = String((source as Node | null)?.value ?? '');
    if (spec.startsWith('.')) imports.push({ from: join(dirname(file), spec), names, isType });
  };
  walk(body, (node) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration') {
      const kind = node.importKind ?? node.exportKind;
      const parts = (node.specifiers ?? []) as Node[];
      const isType =
        kind === 'type' || (parts.length > 0 && parts.every((one) => (one.importKind ?? one.exportKind) === 'type'));
      add(
        node.source,
        parts.map(({ imported, local }) => String(((imported ?? local) as Node).name)),
        isType,
      );
    }
    if (node.type === 'ImportExpression') add(node.source, [], false);
    if (!/Function/.test(node.type)) return;
    const own = source.slice(Number(node.start), Number(node.end)).split('\n');
    if (own.length > 80) long.push(`${file} ${own.length}: ${own[0]}`);
  });
  return { imports, exports: exportedNames(body), long };
}

test('imports run along the way of the data, never back', () => {
  const back = inProduct.flatMap((file) =>
    importsIn(file)
      .map(({ from }) => from)
      .filter((from) => roomOf(from) !== roomOf(file) && !LAYERS[roomOf(file)]?.includes(roomOf(from)))
      .map((from) => `${file} imports ${from}`),
  );
  expect(back).toEqual([]);
});

test('no file needs itself by way of others, with types counted', () => {
  expect(circles(inProduct)).toEqual([]);
});

test('a circle is found', () => {
  const ways: Readonly<Record<string, readonly string[]>> = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [] };
  expect(circles(Object.keys(ways), (file) => ways[file] ?? [])).toEqual([['b', 'c']]);
});

test('values are imported from the file that defines them', () => {
  const faced = [...facts].flatMap(([file, own]) =>
    own.imports.filter(({ from }) => isFace(from)).map(({ from }) => `${file} imports ${from}`),
  );
  expect(faced).toEqual([]);
  expect(product.filter(isFace).filter((file) => dirname(file).includes('/'))).toEqual([]);
});

test("a room's index.ts has what other rooms use of it, and nothing else", () => {
  for (const room of ROOMS.filter((one) => product.includes(`${one}/index.ts`))) {
    const used = inProduct
      .filter((file) => roomOf(file) !== room)
      .flatMap((file) => importsIn(file).filter(({ from }) => roomOf(from) === room));
    const named = used.flatMap(({ from, names }) => names.map((name) => `${from} ${name}`));
    const face = importsIn(`${room}/index.ts`);
    const shown = new Set(face.flatMap(({ from, names }) => names.map((name) => `${from} ${name}`)));
    expect(
      named.filter((one) => !shown.has(one)),
      `${room}/index.ts lacks`,
    ).toEqual([]);
    const files = new Set(used.map(({ from }) => from));
    expect(
      face.map(({ from }) => from).filter((from) => !files.has(from)),
      `${room}/index.ts shows`,
    ).toEqual([]);
  }
});

test('no two files have one name', () => {
  const named = groupBy(inProduct, (file) => basename(file));
  expect(named.filter((files) => files.length > 1)).toEqual([]);
});

test('what is exported is imported elsewhere', () => {
  const all = [...facts.values()].flatMap((own) => own.imports);
  const used = new Set(all.flatMap(({ from, names }) => names.map((name) => `${from} ${name}`)));
  const whole = new Set(all.filter(({ names }) => names.length === 0).map(({ from }) => from));
  const unused = inProduct
    .filter((file) => !whole.has(file))
    .flatMap((file) => (facts.get(file)?.exports ?? []).map((name) => `${file} ${name}`))
    .filter((one) => !used.has(one));
  expect(unused).toEqual([]);
});

test('no function is longer than 80 lines', () => {
  expect(inProduct.flatMap((file) => facts.get(file)?.long ?? [])).toEqual([]);
});

test('half of the tests load at most 40 files of the product', () => {
  const reach = sourcesBelow(['test'])
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => reached(file).filter((one) => !one.startsWith('test/')).length)
    .sort((a, b) => a - b);
  expect(reach.length).toBeGreaterThan(300);
  expect(reach[Math.floor(reach.length / 2)]).toBeLessThanOrEqual(40);
});

function exportedNames(body: readonly Node[]): readonly string[] {
  const namesOf = ({ id }: Node): readonly string[] => {
    const { type, name, elements } = id as Node;
    return type === 'ArrayPattern' ? (elements as Node[]).map((one) => String(one.name)) : [String(name)];
  };
  return body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || declaration === null) return [];
    const declared = declaration as Node;
    return declared.type === 'VariableDeclaration'
      ? (declared.declarations as Node[]).flatMap(namesOf)
      : namesOf(declared);
  });
}

function walk(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    if (!('type' in value)) return;
    see(value as Node);
  }
  for (const key in value) walk((value as Readonly<Record<string, unknown>>)[key], see);
}

/** All files that a file loads, itself among them. */
function reached(file: string): readonly string[] {
  const found = new Set([file]);
  for (const one of found) {
    for (const { from, isType } of importsIn(one)) if (!isType && facts.has(from)) found.add(from);
  }
  return [...found];
}

/** Files that need each other, by groups (Tarjan 1972). */
function circles(
  files: readonly string[],
  needed = (file: string): readonly string[] => importsIn(file).map(({ from }) => from),
): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const other of needed(file)) {
      const low = order.has(other) ? (open.includes(other) ? order.get(other) : undefined) : visit(other);
      lowest.set(file, Math.min(lowest.get(file) ?? number, low ?? number));
    }
    const low = lowest.get(file) ?? number;
    if (low === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}
