import { buildFlame, type FlameAnswer } from '../../../analysis/profiles/flame/flame-of.ts';
import { toSpeedscope } from '../../../analysis/profiles/formats/speedscope.ts';
import { openStore } from '../../../analysis/profiles/store/read-store.ts';
import { type NameTable, stacksOf } from '../../../analysis/profiles/tree/call-tree.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import type { Flags } from '../flags.ts';
import { note, printJson } from '../print.ts';

interface Drawn extends FlameAnswer {
  readonly names: NameTable;
  readonly generatedAt: string;
}

/** What is written, by the end of the file's name. */
const WRITERS: Readonly<Record<string, (drawn: Drawn) => Promise<string>>> = {
  '.html': async (drawn) => (await import('../../../report/flame/render-flame.ts')).renderFlame(drawn),
  '.svg': async (drawn) => (await import('../../../report/flame/render-flame.ts')).renderFlameSvg(drawn),
  '.folded': async (drawn) => foldedLines(drawn),
  '.speedscope.json': async (drawn) => speedscopeText(drawn),
};

export async function flameCommand(
  store: string,
  flags: Flags<'profile' | 'out', 'benchmark' | 'against'>,
): Promise<void> {
  const { profile, benchmark = null, against = null, out, json = false } = flags;
  const ending = Object.keys(WRITERS).find((end) => out.endsWith(end));
  const write = WRITERS[ending ?? ''];
  if (write === undefined) {
    throw badInput(`--out: ${shortened(out)} does not end in one of ${Object.keys(WRITERS).join(', ')}: rename it.`);
  }
  const selection = await openStore(store);
  const answer = buildFlame(selection, { profile, benchmark, against });
  await writeFileWhole(out, await write({ ...answer, names: selection.names, generatedAt: new Date().toISOString() }));
  const { layout, functions, unit } = answer;
  if (json) printJson({ key: answer.key, against: answer.against, unit, ...layout, functions });
  else note(`predict: ${out}: ${layout.frames.length} call paths of ${answer.key}.`);
}

/** A line a stack; with a comparison two numbers, what was there before and what is there, as other tools draw differences from. */
function foldedLines({ tree, names, before }: Drawn): string {
  const stacks = stacksOf(tree, names);
  const lines = stacks.flatMap((stack, node) => {
    const [was, own] = [before?.[node] ?? 0, tree.own[node] ?? 0];
    if (was === 0 && own === 0) return [];
    return [`${stack} ${before === null ? '' : `${was} `}${own}\n`];
  });
  return lines.sort().join('');
}

function speedscopeText({ tree, names, key, unit, against }: Drawn): string {
  if (against !== null) throw badInput('--out: speedscope shows one profile: leave out --against, or write .html.');
  return toSpeedscope(tree, { names, key, unit });
}
