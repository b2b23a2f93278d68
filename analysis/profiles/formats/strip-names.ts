import { parseWord } from '../../../base/bounds.ts';

/** A frame as a profiler wrote it -> its code path, and the compile mode that its name told (`jit`, `interpreted`), if any. */
export type NormaliseFrame = (frame: string) => Stripped;

interface Stripped {
  readonly name: string;
  readonly mode: string | null;
}

/** What differs between runs of one program, or between compilations of one function, and is no part of a code path. */
const RULES = {
  /** `[main tid=41]`, `[41]` behind a name, perf's `burn-40/41`, py-spy's `thread (0x7f3a..)`. */
  tid: (name: string): Stripped => ({
    name: name
      .replace(/^\[tid=\d+\]$/, '[thread]')
      .replace(/ tid=\d+(?=\])/, '')
      .replace(/(?<=[^\s_])(?: ?\[\d+\]|-[\d?]+\/\d+| \(0x[0-9A-Fa-f]+\))$/, ''),
    mode: null,
  }),
  /** `leaf+0x1f`, `leaf+0x1f/0x40`, google-pprof's `leaf<0000000000001139>`, and what is an address alone. */
  offset: (name: string): Stripped => ({
    name: name
      .replace(/(?<=.)\+0x[0-9a-f]+(?:\/0x[0-9a-f]+)?(?= \(| \[|$)/i, '')
      .replace(/(?<=.)<[0-9a-f]{8,16}>$/, '')
      .replace(/^0x[0-9a-f]+$/i, '[unknown]'),
    mode: null,
  }),
  /** async-profiler's `f_[j]`, V8's `JS:*f`. The compile mode stays beside the name. */
  jit: (name: string): Stripped => {
    const suffix = /^(.+)_\[([ij01k])\]$/.exec(name);
    if (suffix !== null) return { name: suffix[1] ?? name, mode: SUFFIXES[suffix[2] ?? ''] ?? null };
    const mark = /^((?:JS|LazyCompile|Function|Script|Eval):)([*~^+])(.+)$/.exec(name);
    if (mark !== null) return { name: `${mark[1]}${mark[3]}`, mode: MARKS[mark[2] ?? ''] ?? null };
    return { name, mode: null };
  },
} as const;

type StripRule = keyof typeof RULES;

const SUFFIXES: Readonly<Record<string, string>> = {
  j: 'jit',
  i: 'inlined',
  k: 'kernel',
  '0': 'interpreted',
  '1': 'c1',
};
const MARKS: Readonly<Record<string, string>> = { '*': 'jit', '+': 'jit', '^': 'baseline', '~': 'interpreted' };

/** `tid,offset,jit` -> what makes code paths of frames; null for a flag that was not given. Errors: badInput for another word. */
export function parseStrip(text: string | undefined): NormaliseFrame | null {
  if (text === undefined) return null;
  const rules = Object.keys(RULES) as StripRule[];
  const words = text.split(',').map((word) => parseWord(word.trim(), '--strip', rules));
  const chosen = rules.filter((rule) => words.includes(rule));
  return (frame) => {
    let [name, mode]: [string, string | null] = [frame, null];
    for (const rule of chosen) {
      const stripped = RULES[rule](name);
      if (stripped.name !== '') name = stripped.name;
      mode ??= stripped.mode;
    }
    return { name, mode };
  };
}
