import { mulberry32, shuffledIndices } from '../../../base/index.ts';

/** What a made-up profile is to look like. */
export interface MadeText {
  readonly seed: number;
  readonly stacks: number;
  /** Bytes of the text, nearly. */
  readonly bytes: number;
  readonly names: number;
  readonly shuffled: boolean;
}

const SAMPLES = 50;
const NAME_BYTES = 34;

/**
 * Collapsed text of a program with many functions: a tree of calls grows from random places, so that stacks share what they begin
 * with; each of its leaves is a stack. In order, stacks that share a beginning stand together; `shuffled`, they stand anywhere.
 */
export function* madeText({ seed, stacks, bytes, names, shuffled }: MadeText): Generator<Buffer> {
  const random = mulberry32(seed);
  const whole = (below: number): number => Math.floor(random() * below);
  const frames = Array.from({ length: names }, (_, index) => {
    return `org/example/part${index % 97}/Class${index % 613}.run${index}`.padEnd(NAME_BYTES, '_');
  });
  const height = Math.max(3, Math.round(bytes / stacks / (NAME_BYTES + 1)));
  const inner: string[] = [];
  const trunks = Math.max(1, Math.round((stacks * 0.37) / height));
  for (let trunk = 0; trunk < trunks; trunk += 1) {
    const from = inner.length === 0 ? '' : (inner[whole(inner.length)] ?? '');
    let stack = from;
    for (let depth = stack === '' ? 0 : stack.split(';').length; depth < height - 1; depth += 1) {
      stack = stack === '' ? (frames[0] ?? '') : `${stack};${frames[whole(names)]}`;
      inner.push(stack);
    }
  }
  const deep = inner.filter((stack) => stack.length > (height - 8) * (NAME_BYTES + 1));
  const lines = Array.from({ length: stacks }, () => `${deep[whole(deep.length)]};${frames[whole(names)]}`);
  const order = shuffled ? shuffledIndices(lines.length, seed) : null;
  if (order === null) lines.sort();
  const some = 1000;
  for (let from = 0; from < lines.length; from += some) {
    const part = Array.from({ length: Math.min(some, lines.length - from) }, (_, index) => {
      return `${lines[order === null ? from + index : (order[from + index] ?? 0)]} ${1 + whole(SAMPLES)}\n`;
    });
    yield Buffer.from(part.join(''));
  }
}
