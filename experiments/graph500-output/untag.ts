// mpirun --tag-output: every write carries `[job,rank]<stream>:` (5.x: `[name@job,rank]`), and writes of several streams may cut each other's lines.
const TAG = /\[((?:[\w.-]+@)?\d+,\d+)\]<(stdout|stderr|stddiag)>:/g;

// `[3] ` of mpiexec -prepend-rank and `3: ` of srun --label.
const RANK_PREFIX = /^(?:\[\d+\]|\d+:) +/;

/** Output as the program wrote it, in lines: tags removed and each stream's fragments joined; CRLF becomes LF. */
export function untag(text: string): string[] {
  const streams = new Map<string, string>();
  const append = (stream: string, piece: string): void => {
    streams.set(stream, (streams.get(stream) ?? '') + piece);
  };
  let stream = '';
  let from = 0;
  const clean = text.replace(/\r+\n?/g, '\n');
  for (const match of clean.matchAll(TAG)) {
    append(stream, clean.slice(from, match.index));
    stream = `${match[2]} ${match[1]}`;
    from = match.index + match[0].length;
  }
  append(stream, clean.slice(from));
  return [...streams.values()].flatMap((whole) => whole.split('\n')).map((line) => line.replace(RANK_PREFIX, ''));
}
