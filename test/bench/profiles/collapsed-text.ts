import { mulberry32, shuffledIndices } from '../../../base/lists.ts';

/** What a made-up profile is to look like. */
export interface MadeText {
  readonly seed: number;
  readonly stacks: number;
  /** Bytes of the text, nearly. */
  readonly bytes: number;
  readonly names: number;
  /** How many ways on a call has, at most: with 1, stacks share long beginnings. */
  readonly branching: number;
  readonly shuffled: boolean;
}

const SAMPLES = 50;
const LINES_AT_ONCE = 1000;
/** How often a walk may leave the first way. */
const BY_THE_WAY = 0.3;
const NAME_BYTES = 34;

/**
 * Collapsed text of a program with many functions: stacks are walks down a tree of calls that grows as they are made. In order, stacks that share a
 * beginning stand together; `shuffled`, they stand anywhere.
 */
export function* madeText({ seed, stacks, bytes, names, branching, shuffled }: MadeText): Generator<Buffer> {
  const random = mulberry32(seed);
  const whole = (below: number): number => Math.floor(random() * below);
  const frames = Array.from({ length: names }, (_, index) => {
    return `org/example/part${index % 97}/Class${index % 613}.run${index}`.padEnd(NAME_BYTES, '_');
  });
  const height = Math.max(3, Math.round(bytes / stacks / (NAME_BYTES + 1)));
  const lines = branching === 1 ? trunks() : walks();
  const order = shuffled ? shuffledIndices(lines.length, seed) : null;
  if (order === null) lines.sort();
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const part = Array.from({ length: Math.min(LINES_AT_ONCE, lines.length - from) }, (_, index) => {
      return `${lines[order === null ? from + index : (order[from + index] ?? 0)]} ${1 + whole(SAMPLES)}\n`;
    });
    yield Buffer.from(part.join(''));
  }

  /** Leaves on long trunks, which leave each other anywhere. */
  function trunks(): string[] {
    const inner: string[] = [];
    for (let trunk = 0; trunk < Math.max(1, Math.round((stacks * 0.37) / height)); trunk += 1) {
      let stack = inner[whole(inner.length)] ?? '';
      for (let depth = stack === '' ? 0 : stack.split(';').length; depth < height - 1; depth += 1) {
        stack = stack === '' ? (frames[0] ?? '') : `${stack};${frames[whole(names)]}`;
        inner.push(stack);
      }
    }
    const deep = inner.filter((stack) => stack.length > (height - 8) * (NAME_BYTES + 1));
    return Array.from({ length: stacks }, () => `${deep[whole(deep.length)]};${frames[whole(names)]}`);
  }

  /** Walks on which every call goes one of a few ways, the first most often. */
  function walks(): string[] {
    return Array.from({ length: stacks }, () => {
      let name = 0;
      const stack = [frames[0]];
      const depth = height - 2 + whole(5);
      for (let level = 1; level < depth; level += 1) {
        const way = random() < BY_THE_WAY ? whole(branching) : 0;
        name = (name * 7 + level + way * 31 + 1) % names;
        stack.push(frames[name]);
      }
      return stack.join(';');
    });
  }
}
