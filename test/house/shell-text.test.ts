// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources of code are judged here.
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { ROOMS, readSource, sourcesBelow } from './sources.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** The one file that makes scripts and quotes words. */
const QUOTING = 'base/shell.ts';
const SHELLS = /^(?:\/\S*\/)?(?:sh|bash|dash|zsh|ksh)$/;
/** What only shells say: a command with its redirection, joined to another, in a trap, a here-document, a substitution. */
const SHELL_TEXT =
  /^#!\/\S*sh|\btrap ['"$\\]|<<-?['"]?[A-Z]|(?:^|[;&|(]\s*|\bthen |\bdo )(?:cd|rm|mv|cp|mkdir|chmod|chown|cat|echo|printf|test|exec|eval|export|kill|mkfifo|sudo|umask|unset|find|command -v)\s+\S.*(?:&&|\|\||;|>|\|)|(?:&&|\|\||; )\s*(?:cd|rm|mv|cp|mkdir|chmod|cat|echo|printf|exec|eval|exit|kill|sudo)\b/;

/** Sentences about what is wrong with the shell text of a file: `line: what`. */
function faults(source: string): string[] {
  const found: string[] = [];
  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  const say = ({ start }: Node, what: string): void =>
    void found.push(`${source.slice(0, start).split('\n').length}: ${what}`);
  const constants = new Map<string, Node>();
  visit(program, (node) => {
    if (node.type === 'VariableDeclaration' && node.kind === 'const') {
      for (const { id, init } of node.declarations as { id: Node; init: Node | null }[]) {
        if (init && id.type === 'Identifier') constants.set(id.name as string, init);
      }
    }
  });
  const isConstant = (node: Node): boolean => {
    if (node.type === 'Literal') return true;
    if (node.type === 'TemplateLiteral') return (node.expressions as Node[]).length === 0;
    if (node.type === 'TaggedTemplateExpression') return (node.tag as Node).name === 'sh';
    if (node.type !== 'Identifier') return false;
    const value = constants.get(node.name as string);
    return value !== undefined && value !== node && isConstant(value);
  };
  visit(program, (node, parent) => {
    switch (node.type) {
      case 'TaggedTemplateExpression':
        if ((node.tag as Node).name === 'sh' && ((node.quasi as Node).expressions as Node[]).length > 0)
          say(node, 'a value in a script');
        else if (/\b(?:make|eval)\b[^\n;&|]*=["']?\$/.test(textOf(node.quasi as Node)))
          say(node, 'a value that becomes shell text in a recipe');
        return;
      case 'TemplateLiteral': {
        if (parent?.type === 'TaggedTemplateExpression') return;
        const values = node.expressions as Node[];
        const text = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('\u2026');
        if (values.length > 0 && SHELL_TEXT.test(text) && !values.every(isQuoted))
          say(node, `shell text that is put together: ${text.trim().split('\n')[0]}`);
        return;
      }
      case 'BinaryExpression':
        if (node.operator === '+' && [node.left, node.right].some((side) => SHELL_TEXT.test(textOf(side as Node))))
          say(node, 'shell text that is put together by +');
        return;
      case 'ArrayExpression': {
        const items = (node.elements as (Node | null)[]).filter((each) => each !== null);
        for (const [index, item] of items.entries()) {
          const [option, script] = items.slice(index + 1);
          const isScript = SHELLS.test(textOf(item)) && /^-[a-z]*c$/.test(textOf(option));
          if (isScript && script && !isConstant(script)) say(script, 'a shell is given a text that is no constant');
        }
        return;
      }
      case 'CallExpression': {
        const [first, second] = node.arguments as Node[];
        const [option, script] = (second?.type === 'ArrayExpression' ? second.elements : []) as Node[];
        if (SHELLS.test(textOf(first)) && /^-[a-z]*c$/.test(textOf(option)) && script && !isConstant(script))
          say(script, 'a shell is given a text that is no constant');
        return;
      }
      case 'TSAsExpression':
        if (((node.typeAnnotation as Node).typeName as Node | undefined)?.name === 'Script')
          say(node, 'something is called a script');
        return;
      case 'Property':
        if ((node.key as Node).name === 'shell' && textOf(node.value as Node) !== 'false')
          say(node, 'the option shell');
    }
  });
  return found;
}

/** `quote(x)`, `quoteAll(x)`. */
function isQuoted(node: Node): boolean {
  return node.type === 'CallExpression' && /^quote(All)?$/.test(String((node.callee as Node).name));
}

function textOf(node: Node | undefined): string {
  if (node?.type === 'Literal') return String(node.value);
  if (node?.type !== 'TemplateLiteral') return '';
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('');
}

function visit(node: Node, see: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  see(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node, see, node);
    }
  }
}

test('no value is put into shell text but by the one quoting function', () => {
  const files = sourcesBelow(ROOMS);
  expect(files.length).toBeGreaterThan(500);
  const found = files
    .filter((file) => file !== QUOTING)
    .flatMap((file) => faults(readSource(file)).map((fault) => `${file}:${fault}`));
  expect(found).toEqual([]);
});

test.each([
  ["`trap 'rm -rf ${folder}' EXIT`"],
  ["`cat > ${path} <<'END'`"],
  ['`mkdir -p ${quote(folder)} && cd ${folder}`'],
  ["'cd / && rm -rf ' + folder"],
  ["spawn('sh', ['-c', `exec ${command}`])"],
  ["spawn('sh', ['-euc', script])"],
  ["executor.exec(['bash', '-c', script.join('; ')])"],
  ['executor.exec(scriptWords(sh`rm -rf "${folder}"`))'],
  ['const script = text as Script'],
  ['sh`cd -- "$1" && exec make -s MPICC="$2" OUT="$3"`'],
  ['execa(command, { shell: true })'],
])('finds %s', (source) => {
  expect(faults(source)).toHaveLength(1);
});

test.each([
  ['executor.exec(scriptWords(sh`rm -rf -- "$1" && mkdir -p -- "$1"`, folder))'],
  ["spawn('sh', ['-c', 'eval \"exec $1\"', 'predict', command])"],
  ["const script = 'exec cat'; spawn('sh', ['-c', script])"],
  ['`cd ${quote(folder)} && exec ${quoteAll(words)}`'],
  ['`${host}: the folder ${folder} cannot be used; make it writable.`'],
])('has nothing against %s', (source) => {
  expect(faults(source)).toEqual([]);
});
