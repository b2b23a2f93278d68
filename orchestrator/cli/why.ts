import { resolve } from 'node:path';
import type { Finding } from '../../analysis/index.ts';
import { canonicalJson, measuredPrograms, type OpenCampaign, openCampaign } from '../../experiments/index.ts';
import type { Answers } from '../../report/answers/schema.ts';
import type { Optional, Switches } from './flags.ts';
import { print, printJson } from './print.ts';

interface WhyFlags extends Optional<'program' | 'cell'>, Switches {}

/** As many findings as people read. */
const SHOWN = 10;

/** What limits a campaign by all witnesses in one answer. Of one run there is none: Grade10 says most of it. */
export async function whyCommand(dir: string, flags: WhyFlags): Promise<void> {
  if (flags.cell !== undefined)
    return await (await import('./grade10/run.ts')).grade10(dir, { format: 'parquet', ...flags });
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
