// What makes a backtracking matcher slow is a text that fits a part of its pattern again and again and then fails. Such texts are
// made of the pattern itself: for every way through its alternatives, what its parts match, one after the other, a run of them repeated.

/** A text that may take long: `before`, `pump` as often as there is room, `after`. */
export interface Pump {
  readonly before: string;
  readonly pump: string;
  readonly after: string;
  /** The pump is one turn of a loop that the matcher keeps on its stack, turn by turn. */
  readonly isLoop: boolean;
}

/** What a part of a pattern is: characters, of which each of `choices` fits, or a choice between sequences. */
type Part =
  | { readonly kind: 'set'; readonly choices: readonly string[]; readonly least: number; readonly repeats: boolean }
  | { readonly kind: 'choice'; readonly branches: readonly (readonly Part[])[]; readonly repeats: boolean };
type Choice = Extract<Part, { kind: 'choice' }>;

/** A part of a way through a pattern. */
interface Step {
  readonly choices: readonly string[];
  readonly least: number;
  readonly repeats: boolean;
  /** The repeated groups that it is in. */
  readonly loops: readonly Choice[];
}

/** Beside the pattern's own characters: one of each sort that classes tell apart. */
const EVERY_SORT = [...'aZ0_ \t\n\r\f-./!\u0000é\ufeff', '\ud800'];
/** After which most patterns do not fit any more. */
const ENDS = ['', '\n', '\u0000', '\n0'];
const MOST_CHOICES = 8;
/** Of what must be there at least so many times. */
const MOST_COPIES = 64;

/** The pumps of a pattern; none where nothing in it is repeated. */
export function pumpsOf(source: string, flags: string): readonly Pump[] {
  const parts = new Parser(source, flags).parse();
  if (!repeats(parts)) return [];
  const found = new Map<string, Pump>();
  for (const path of pathsThrough(parts)) {
    for (const texts of textsOf(path)) for (const pump of pumpsAlong(path, texts)) addTo(found, pump);
  }
  return [...found.values()];
}

function addTo(found: Map<string, Pump>, pump: Pump): void {
  if (pump.pump === '') return;
  const key = [pump.before, pump.pump, pump.after].join('\u0001');
  if (pump.isLoop || !found.has(key)) found.set(key, pump);
}

/** Runs of a path's parts, turns of its loops, and each character that one of its parts may be. */
function* pumpsAlong(path: readonly Step[], texts: readonly string[]): Generator<Pump> {
  const between = (from: number, to: number): string => texts.slice(from, to).join('');
  const ends = boundaries(path);
  for (const [index, from] of ends.entries()) {
    for (const to of ends.slice(index + 1)) {
      const rest = between(to, path.length);
      for (const after of [...ENDS, rest, `${rest}\n`]) {
        yield { before: between(0, from), pump: between(from, to), after, isLoop: false };
      }
    }
  }
  for (const loop of new Set(path.flatMap(({ loops }) => loops))) {
    const from = path.findIndex(({ loops }) => loops.includes(loop));
    const to = path.findLastIndex(({ loops }) => loops.includes(loop)) + 1;
    yield { before: between(0, from), pump: between(from, to), after: '', isLoop: true };
  }
  for (const [at, { choices, repeats, least }] of path.entries()) {
    if (!repeats) continue;
    const [before, rest] = [between(0, at), between(at + 1, path.length)];
    if (least > 1) yield { before, pump: choices[0] ?? '', after: '', isLoop: true };
    for (const pump of choices) {
      for (const after of [...ENDS, rest, `${rest}\n`]) yield { before, pump, after, isLoop: false };
    }
  }
}

function repeats(parts: readonly Part[]): boolean {
  return parts.some(
    (part) => part.repeats || (part.kind === 'choice' && part.branches.some((branch) => repeats(branch))),
  );
}

/** What its steps match: the first that fits each, and what is no letter or digit, beside which a word may begin. */
function textsOf(path: readonly Step[]): readonly (readonly string[])[] {
  const first = path.map(({ choices, least }) => (choices[0] ?? '').repeat(least));
  const other = path.map(({ choices, least }) =>
    (choices.find((each) => /\W/.test(each)) ?? choices[0] ?? '').repeat(least),
  );
  return other.join('') === first.join('') ? [first] : [first, other];
}

/** Ways through a pattern such that each branch of each choice is on one of them. */
function pathsThrough(parts: readonly Part[]): readonly (readonly Step[])[] {
  const ways = parts.map((part) => (part.kind === 'set' ? [[{ ...part, loops: [] }]] : waysOf(part)));
  const usual = ways.map(([first = []]) => first);
  const others = ways.flatMap((all, at) => all.slice(1).map((other) => usual.with(at, other)));
  return [usual, ...others].map((way) => way.flat());
}

function waysOf(choice: Choice): readonly (readonly Step[])[] {
  const ways = choice.branches.flatMap((branch) => pathsThrough(branch));
  if (!choice.repeats) return ways;
  return ways.map((way) => way.map((step) => ({ ...step, repeats: true, loops: [...step.loops, choice] })));
}

/** Where runs may begin and end: on both sides of what is repeated, and at the ends of the path. */
function boundaries(path: readonly Step[]): readonly number[] {
  const found = new Set([0, path.length]);
  for (const [at, { repeats }] of path.entries()) if (repeats) found.add(at).add(at + 1);
  return [...found].sort((a, b) => a - b);
}

/** How often at least and at most. */
function rangeOf(
  quantifier: string,
  { least, comma, most }: Readonly<Record<'least' | 'comma' | 'most', string | undefined>>,
): readonly [number, number] {
  if (quantifier.startsWith('*')) return [0, Number.POSITIVE_INFINITY];
  if (quantifier.startsWith('+')) return [1, Number.POSITIVE_INFINITY];
  if (quantifier.startsWith('?')) return [0, 1];
  return [Number(least), comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)];
}

/** Reads a regular expression of ECMAScript without the flag v; what has no width is left out. */
class Parser {
  readonly #source: string;
  readonly #flags: string;
  readonly #alphabet: readonly string[];
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags.replace(/[gmyd]/g, '');
    this.#alphabet = [...new Set([...EVERY_SORT, ...source])];
  }

  parse(): readonly Part[] {
    const parts = this.#choice();
    if (this.#at < this.#source.length) throw new Error(`${this.#source}: not understood from ${this.#at}`);
    return [parts];
  }

  #choice(): Choice {
    const branches: Part[][] = [[]];
    for (; this.#at < this.#source.length && this.#source[this.#at] !== ')'; ) {
      if (this.#take('|')) branches.push([]);
      else branches.at(-1)?.push(...this.#quantified());
    }
    return { kind: 'choice', branches, repeats: false };
  }

  #quantified(): readonly Part[] {
    const part = this.#atom();
    const [all, least, comma, most] = this.#match(/[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y) ?? [];
    if (all === undefined || part === null) return part === null ? [] : [part];
    const [from, to] = rangeOf(all, { least, comma, most });
    // A group that must be there several times is there several times.
    if (part.kind === 'choice')
      return new Array<Part>(Math.min(Math.max(from, 1), 4)).fill({ ...part, repeats: to > from });
    return [{ ...part, least: Math.min(Math.max(from, 1), MOST_COPIES), repeats: to > Math.max(from, 1) }];
  }

  #atom(): Part | null {
    if (this.#match(/\^|\$|\\[bB]/y)) return null;
    const group = this.#match(/\((\?(?:[:=!]|<[=!]|<\w+>))?/y);
    if (group) {
      const inner = this.#choice();
      if (!this.#take(')')) throw new Error(`${this.#source}: a group without an end`);
      // What looks ahead or behind has no width; its own repetitions are tried where it stands, as if it had.
      return inner;
    }
    const set = this.#match(
      /\[(?:\\.|[^\]\\])*\]|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[pP]\{[^}]*\}|k<\w+>|c[A-Z]|[\s\S])|[\s\S]/uy,
    );
    if (set === null) throw new Error(`${this.#source}: not understood at ${this.#at}`);
    return { kind: 'set', choices: this.#choicesOf(set[0]), least: 1, repeats: false };
  }

  /** Characters that a class, an escape or a character fits. */
  #choicesOf(set: string): readonly string[] {
    // A reference stands for what its group matched; nothing is a text of it.
    if (/^\\(?:k<|[1-9])/.test(set)) return [''];
    const fits = new RegExp(`^(?:${set})$`, this.#flags);
    const found = this.#alphabet.filter((character) => fits.test(character)).slice(0, MOST_CHOICES);
    if (found.length > 0) return found;
    for (let code = 0; code < 2 ** 16; code += 1)
      if (fits.test(String.fromCharCode(code))) return [String.fromCharCode(code)];
    throw new Error(`${this.#source}: no character fits ${set}`);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
