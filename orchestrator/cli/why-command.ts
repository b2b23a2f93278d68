import { resolve } from 'node:path';
import type { Finding } from '../../analysis/finding.ts';
import { acceptedSentences } from '../../experiments/marks.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import type { Answers } from '../../report/answers/answers-schema.ts';
import { eachProgram } from './each-program.ts';
import type { Optional, Switches } from './flags.ts';
import { type Answer, print } from './print.ts';

interface WhyFlags extends Optional<'program' | 'cell'>, Switches {}

/** As many findings as people read. */
const SHOWN = 10;

/** What limits a campaign by all witnesses in one answer. Of one run there is none: Grade10 says most of it. */
export async function whyCommand(dir: string, flags: WhyFlags): Promise<Answer> {
  if (flags.cell !== undefined)
    return await (await import('./grade10/grade10-command.ts')).grade10(dir, { format: 'parquet', ...flags });
  const open = await openCampaign(dir);
  return await eachProgram(open, flags, async (program) => {
    const json = await explained(open, program);
    return { json, say: () => show(json) };
  });
}

interface Explained {
  readonly answers: Answers | null;
  /** The gravest first. */
  readonly findings: readonly Finding[];
  /** Slow links that the inventory accepts, sentences. */
  readonly accepted: readonly string[];
}

/** Made once for as long as nothing of the campaign changes. */
async function explained(open: OpenCampaign, program: string | undefined): Promise<Explained> {
  const make = async (): Promise<Explained> => {
    // Loaded only where something is to be made.
    const [{ rankFindings }, { readAnswers, readFindings }] = await Promise.all([
      import('../../analysis/finding.ts'),
      import('../../report/content/from-campaign.ts'),
    ]);
    const { answers } = await readAnswers(open, { program });
    return {
      answers,
      findings: rankFindings(await readFindings(open, { program })),
      accepted: acceptedSentences(open.records),
    };
  };
  return await open.kept({ kind: 'why', settings: canonicalJson({ dir: resolve(open.dir), program }), make });
}

function show({ answers, findings, accepted }: Explained): void {
  if (answers === null) {
    print('Nothing is measured yet.');
    return;
  }
  const { limit } = answers;
  print(`${limit.question}\n  ${limit.sentence}`);
  for (const { sentence } of limit.witnesses) print(`  ${sentence}`);
  for (const sentence of accepted) print(`  ${sentence}`);
  if (limit.agree === false) print('  The witnesses disagree about the link.');
  const more = findings.filter(({ sentence }) => sentence !== limit.sentence);
  if (more.length > 0) print('\nKey findings');
  for (const { sentence } of more.slice(0, SHOWN)) print(`  ${sentence}`);
}
