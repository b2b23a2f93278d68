import { resolve } from 'node:path';
import type { Finding } from '../../analysis/index.ts';
import { badInput, joinWords, shortened } from '../../base/index.ts';
import { canonicalJson, measuredPrograms, type OpenCampaign, openCampaign } from '../../experiments/index.ts';
import type { Answers } from '../../report/answers/schema.ts';
import { print, printJson } from './print.ts';

/** One analysis by itself, with all that it can be asked (`register/why.ts`). */
const METHODS = ['grade10', 'path', 'stacks', 'jobs'] as const;

interface WhyFlags {
  readonly method?: string;
  readonly program?: string;
  readonly cell?: string;
  readonly json?: boolean;
}

/** As many findings as people read. */
const SHOWN = 10;

/** What limits a campaign by all witnesses in one answer, or by one method in full. */
export async function whyCommand(dir: string, flags: WhyFlags): Promise<void> {
  const { method } = flags;
  const known = METHODS.find((name) => name === method);
  if (method !== undefined && known === undefined) {
    throw badInput(`--method: '${shortened(method)}' is unknown: it is one of ${joinWords(METHODS)}.`);
  }
  // Of one run there is no answer for all; Grade10 says most of it.
  const asked = known ?? (flags.cell === undefined ? null : 'grade10');
  if (asked !== null) return await byMethod(asked, dir, flags);
  const open = await openCampaign(dir);
  const programs = flags.program === undefined ? measuredPrograms(open) : [flags.program];
  const several = programs.length > 1;
  const all = [];
  for (const program of several ? programs : [flags.program]) {
    const result = await explained(open, program);
    if (flags.json) all.push(several ? { program, ...result } : result);
    else show(result, several ? program : undefined);
  }
  if (flags.json) printJson(several ? { programs: all } : all[0]);
}

async function byMethod(method: (typeof METHODS)[number], dir: string, flags: WhyFlags): Promise<void> {
  const { cell, program, json } = flags;
  const asked = {
    ...(cell === undefined ? {} : { cell }),
    ...(program === undefined ? {} : { program }),
    ...(json === undefined ? {} : { json }),
  };
  switch (method) {
    case 'grade10':
      return await (await import('./grade10/run.ts')).grade10(dir, { format: 'parquet', ...asked });
    case 'path':
      return await (await import('./path/index.ts')).criticalPathCommand(dir, {
        by: 'phase',
        interval: '0.9',
        ...asked,
      });
    case 'stacks':
      return await (await import('./profiles/scaling.ts')).scalingCommand(dir, asked);
    case 'jobs':
      return await (await import('./dag/index.ts')).dagCommand([dir], { interval: '0.9', ...asked });
  }
}

interface Explained {
  readonly answers: Answers | null;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** Made once for as long as nothing of the campaign changes. */
async function explained(open: OpenCampaign, program: string | undefined): Promise<Explained> {
  const make = async (): Promise<Explained> => {
    // Loaded only where something is to be made.
    const [{ rankFindings }, { readAnswers, readFindings }] = await Promise.all([
      import('../../analysis/index.ts'),
      import('../../report/index.ts'),
    ]);
    const { answers } = await readAnswers(open, { program });
    return { answers, findings: rankFindings(await readFindings(open, { program })) };
  };
  return await open.kept({ kind: 'why', settings: canonicalJson({ dir: resolve(open.dir), program }), make });
}

function show({ answers, findings }: Explained, program: string | undefined): void {
  if (program !== undefined) print(program);
  if (answers === null) {
    print('Nothing is measured yet.');
    return;
  }
  const { limit } = answers;
  print(`${limit.question}\n  ${limit.sentence}`);
  for (const { sentence } of limit.witnesses) print(`  ${sentence}`);
  if (limit.agree === false) print('  The witnesses disagree about the link.');
  if (findings.length > 0) print('\nKey findings');
  for (const { sentence } of findings.slice(0, SHOWN)) print(`  ${sentence}`);
}
