import { parseAst } from 'vitest/node';

/** One small change of a file: the text from `start` to `end` becomes `text`. */
export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** `line 12: a < b -> a <= b`. */
  readonly what: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const SWAPS: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '&&': '||', '||': '&&' },
};
/** Calls without which a list is another list. */
const STEPS = ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim'];
/** What runs nowhere: types, and where names come from. */
const QUIET = /^(TS|Import|ExportAll)/;

/** Every change that the operators make to a file, in the order of the text. */
export function mutantsOf(file: string, code: string): Mutant[] {
  const found: Mutant[] = [];
  const lines = code.split('\n');
  const place = (start: number): number => code.slice(0, start).split('\n').length;
  const add = (node: Node, text: string): void => {
    const line = place(node.start);
    const shown = code.slice(node.start, node.end).replace(/\s+/g, ' ');
    found.push({
      file,
      start: node.start,
      end: node.end,
      text,
      what: `line ${line}: ${cut(shown)} -> ${cut(text) || 'nothing'}`,
    });
  };
  const source = (node: unknown): string => (isNode(node) ? code.slice(node.start, node.end) : '');
  const visit = (node: Node): void => {
    if (
      QUIET.test(node.type) &&
      !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type)
    )
      return;
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const swap = SWAPS[String(node.operator)];
        if (swap !== undefined) add(node, `${source(node.left)} ${swap} ${source(node.right)}`);
        if (node.operator === '??') add(node, `(${source(node.right)})`);
        break;
      }
      case 'Literal':
        if (typeof node.value === 'boolean') add(node, String(!node.value));
        if (typeof node.value === 'number') add(node, `(${node.value} + 1)`);
        break;
      case 'IfStatement':
        if (isNode(node.test)) {
          add(node.test, 'false');
          add(node.test, 'true');
        }
        break;
      case 'ConditionalExpression':
        if (isNode(node.test)) add(node.test, `!(${source(node.test)})`);
        break;
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '-') add(node, source(node.argument));
        break;
      case 'ThrowStatement':
        add(node, ';');
        break;
      case 'CallExpression': {
        const { callee } = node;
        if (isNode(callee) && callee.type === 'MemberExpression' && isNode(callee.property)) {
          if (STEPS.includes(String(callee.property.name))) add(node, source(callee.object));
        }
        break;
      }
    }
    for (const child of childrenOf(node)) visit(child);
  };
  for (const statement of childrenOf(parseAst(code, { lang: 'ts' }) as unknown as Node)) visit(statement);
  // An assertion of types lets a mutant that does not compile run; a comment that names a rule does not change it.
  return found
    .filter(({ start }) => !lines[place(start) - 1]?.trim().startsWith('//'))
    .sort((a, b) => a.start - b.start);
}

export function mutate(code: string, { start, end, text }: Mutant): string {
  return code.slice(0, start) + text + code.slice(end);
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeArguments') return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
