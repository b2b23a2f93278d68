import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, parse, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { parseCount } from '../../base/bounds.ts';
import { badInput, infrastructure, PredictError } from '../../base/errors.ts';
import { findProgram } from '../../base/paths.ts';
import { formatRange } from '../../base/ranges.ts';
import { joinWords, lastLines } from '../../base/text.ts';
import { sizeText, trimNumber } from '../../base/units.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { findFarthestNodes, fromNodesText } from '../../modeling/answers/dominance.ts';
import { fromFiles } from '../../modeling/questions/measurements.ts';
import { distinct } from '../../modeling/rows.ts';
import { meanSentence } from '../../report/answers/gate-answer.ts';
import { buildComparison } from '../../report/content/build-comparison.ts';
import { buildPrograms, hasPrograms } from '../../report/content/build-programs.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { buildRows, type FittedEquation, type RowsData } from '../../report/content/build-rows.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
import { render, renderCampaigns, renderPrograms, renderRowsReport } from '../../report/render.ts';
import { renderReportMarkdown } from '../../report/render-markdown.ts';
import { parseLimit } from './compare-command.ts';
import { printAnswers } from './each-program.ts';
import { given, type Optional, refuseFlags, type Switches } from './flags.ts';
import { renderMarkdown } from './gate/gate-markdown.ts';
import { parseBaseScale } from './parse-question.ts';
import {
  type Answer,
  type Column,
  leaveStdoutToFile,
  left,
  noteAlike,
  print,
  printExactly,
  printTable,
  right,
} from './print.ts';

/** Of what `--data` writes; it changes when a name in it changes or goes. */
const DATA_SCHEMA = 2;

/**
 * `out`: the page's file, in the campaign's folder by default; `data`: that of all that the page shows. `-` is standard output. `markdown`
 * and `pdf`: the same for mail and for paper.
 */
type ReportFlags = Optional<'out' | 'data' | 'title' | 'program' | 'markdown' | 'pdf'>;

/** `data` as it may be given again: without a campaign it names files of rows. */
interface GivenFlags
  extends Omit<ReportFlags, 'data'>,
    Switches,
    Optional<'failAbove' | 'ranksPerNode' | 'baseScale' | 'by'> {
  readonly data?: readonly string[] | undefined;
}

/** Percent by which the first of several campaigns may be slower, unless another limit is given. */
const ALLOWED = 5;

/** Of several programs all in parallel, unless one is named; of several campaigns the first against each of the others; without one of rows. */
export async function report(
  dir: string | undefined,
  others: readonly string[],
  { data: files = [], by, ...rest }: GivenFlags,
): Promise<Answer> {
  if (by !== undefined) {
    const [first, ...more] = sitesOf(by, dir, others);
    return await report(first, more, { ...rest, data: files, out: rest.out ?? join(dir ?? '', 'comparison.html') });
  }
  if (rest.pdf !== undefined && rest.out === '-')
    throw badInput('--pdf prints the file of the page, so --out cannot be standard output: name a file.');
  if (dir === undefined) return await reportRows(files, rest);
  refuseFlags(rest, ['ranksPerNode', 'baseScale'], 'is about rows of files: leave it out with a campaign folder.');
  const [data, ...more] = files;
  if (more.length > 0) throw badInput('--data names one file to write beside a campaign: give it once.');
  const flags = { ...rest, data };
  if (data === '-') {
    const other = flags.json ? '--json' : flags.out === '-' ? '--out -' : null;
    if (other)
      throw badInput(`--data - and ${other} would both write to standard output: name a file for one of them.`);
    leaveStdoutToFile();
  }
  if (others.length > 0) return await reportCampaigns([dir, ...others], flags);
  if (flags.failAbove !== undefined) throw badInput('--fail-above is about several campaigns: name the other one too.');
  const open = await openCampaign(dir);
  if (flags.program === undefined && hasPrograms(open)) return await reportPrograms(open, flags);
  const written = await writeReport(open, flags);
  const say = (): void => {
    printAnswers(written.answers);
    printExactly(`Report: ${written.report}`);
  };
  return { json: written, say };
}

/** The campaigns of a sweep on sites, by the names of these. */
function sitesOf(by: string, dir: string | undefined, others: readonly string[]): readonly string[] {
  if (by !== 'site') throw badInput(`--by: '${by}' is not a factor of campaigns: write site.`);
  if (dir === undefined || others.length > 0) throw badInput('--by site takes one folder: that of a sweep --on sites.');
  const names = existsSync(dir) ? readdirSync(dir).sort() : [];
  const found = names.map((name) => join(dir, name)).filter(isCampaign);
  if (found.length > 0) return found;
  throw badInput(`${dir} has no campaigns of sites: give the folder that sweep --on wrote (--out).`);
}

/** Figures and tables of rows, which `--data` names where there is no campaign. */
async function reportRows(files: readonly string[], flags: Omit<GivenFlags, 'data'>): Promise<Answer> {
  const [first] = files;
  if (first === undefined) throw badInput('Name one source: a campaign folder, or --data FILE.csv.');
  refuseFlags(flags, ['program', 'failAbove', 'markdown'], 'is about campaigns: leave it out with --data.');
  const source = await fromFiles(files, {
    ranksPerNode: given(flags.ranksPerNode, (text) => parseCount(text, '--ranks-per-node')),
  });
  const threads = distinct(source.rows, 'threads');
  if (threads.length > 1) {
    const counts = joinWords(threads);
    throw badInput(
      `${first} has runs with ${counts} threads of each rank, which this report cannot tell apart: keep one.`,
    );
  }
  const data = buildRows(source, {
    ...{ sources: files.map((file) => basename(file)), title: flags.title, generatedAt: new Date().toISOString() },
    baseScale: given(flags.baseScale, parseBaseScale),
  });
  const { dir, name } = parse(first);
  const out = flags.out ?? join(dir, `${name}.html`);
  const path = await writeAll(dir, { out, pdf: flags.pdf }, { page: renderRowsReport(data), data, markdown: '' });
  const say = (): void => {
    printRows(data);
    printExactly(`Report: ${path}`);
  };
  return { json: { report: path, ...data }, say };
}

/** Constants of all fits, and where communication dominates. */
function printRows({ fits, dominance, cells, missing }: RowsData): void {
  const { eq2, eq3, throttled, eq5, eq6, eq7 } = fits;
  const constant = (name: string): Column<FittedEquation> =>
    right(name, ({ constants }) => constants[name]?.value?.toPrecision(5) ?? '');
  printTable(
    [...eq2, ...eq3, ...throttled, ...eq5, ...eq6, ...eq7],
    [
      left('model', ({ model }) => model),
      ...[
        right<FittedEquation>('scale', ({ scales }) => scales.join()),
        right<FittedEquation>('nodes', ({ nodes }) => formatRange(nodes)),
      ],
      right('bw %', ({ bw }) => formatRange(bw)),
      ...['C', 'C1', 'C2', 'alpha'].map(constant),
      right('R2', ({ r2 }) => r2.toFixed(4)),
      right('MSE s²', ({ mse }) => trimNumber(mse)),
      right('rows', ({ rows }) => String(rows)),
    ],
  );
  const within = findFarthestNodes(cells.map(({ nodes }) => nodes));
  for (const {
    model,
    scale,
    nodes,
    admissibleNodes: { value: admissible },
  } of dominance) {
    const said = fromNodesText({ subject: 'communication', verb: 'dominates', nodes, within, admissible });
    print(`By ${model}${sizeText(scale)} ${said}.`);
  }
  for (const why of new Set(Object.values(missing))) print(why);
}

async function reportPrograms(open: OpenCampaign, flags: ReportFlags): Promise<Answer> {
  const data = await buildPrograms(open, { generatedAt: new Date().toISOString(), title: flags.title });
  const path = await writeAll(open.dir, flags, {
    ...{ page: renderPrograms(data), data },
    markdown: data.programs.map((one) => renderReportMarkdown(one.data)).join('\n'),
  });
  const programs = data.programs.map(({ program, sentence, needs, data: { answers } }) => {
    return { program, sentence, needs, answers };
  });
  const say = (): void => {
    for (const { program, sentence } of programs) print(`${program}\n  ${sentence}`);
    if (data.first !== null) print(data.first);
    printExactly(`Report: ${path}`);
  };
  return { json: { report: path, first: data.first, programs }, say };
}

/** With --fail-above an error (`tooSlow`) where the first is slower than one of the others by more than that. */
async function reportCampaigns(
  [dir = '', ...others]: readonly string[],
  { failAbove, title, program, ...files }: ReportFlags & Optional<'failAbove'>,
): Promise<Answer> {
  const first = await openCampaign(dir);
  const rest: OpenCampaign[] = [];
  for (const other of others) rest.push(await openCampaign(other));
  const limitPercent = given(failAbove, parseLimit) ?? ALLOWED;
  const generatedAt = new Date().toISOString();
  const data = await buildComparison([first, ...rest], { generatedAt, title, program, limitPercent });
  const out = files.out ?? join(first.dir, 'comparison.html');
  const path = await writeAll(
    first.dir,
    { ...files, out },
    {
      ...{ page: renderCampaigns(data), data },
      markdown: data.pairs
        .map((pair, index) => renderMarkdown({ dir, ...pair, against: others[index] ?? '' }))
        .join('\n'),
    },
  );
  const say = (): void => {
    for (const { sentence, detail, gate } of data.pairs) {
      print(`${sentence} ${detail}`);
      if (gate !== null) print(meanSentence(gate));
    }
    noteAlike(data.warnings);
    printExactly(`Report: ${path}`);
  };
  const after = async (): Promise<void> => {
    if (failAbove === undefined) return;
    const slower = data.pairs.filter(({ gate }) => gate === null || !gate.passed).map(({ against }) => against);
    if (slower.length === 0) return;
    const than = `slower by more than ${limitPercent} % than ${joinWords(slower)}, or that is not known`;
    throw new PredictError(`${dir} is ${than}: its page ${path} shows where.`, { kind: 'tooSlow' });
  };
  return { json: { report: path, ...data }, say, after };
}

/** Writes the report of a campaign: the page's path and its answers, null where nothing was measured. */
export async function writeReport(open: OpenCampaign, { program, title, ...files }: ReportFlags = {}) {
  // Made once for as long as nothing of the campaign changes.
  const made = await open.kept({
    kind: 'report',
    settings: canonicalJson({ dir: resolve(open.dir), program }),
    make: async () => buildReport(await readReportInput(open, { generatedAt: '', program })),
  });
  const data = { ...made, generatedAt: new Date().toISOString(), ...(title === undefined ? {} : { title }) };
  const path = await writeAll(open.dir, files, { page: render(data), data, markdown: renderReportMarkdown(data) });
  return { report: path, answers: data.answers };
}

/** Returns the path of the page. */
async function writeAll(
  dir: string,
  { out, data: dataFile, markdown: markdownFile, pdf }: ReportFlags,
  { page, data, markdown }: { readonly page: string; readonly data: object; readonly markdown: string },
): Promise<string> {
  const path = placeOf(out ?? join(dir, 'report.html'));
  await writeFileWhole(path, page);
  if (dataFile !== undefined)
    await writeFileWhole(placeOf(dataFile), `${JSON.stringify({ schema: DATA_SCHEMA, ...data })}\n`);
  if (markdownFile !== undefined) await writeFileWhole(placeOf(markdownFile), markdown);
  if (pdf !== undefined) await printPage(path, resolve(pdf));
  return path;
}

/** Names under which Debian, Fedora and others install it. */
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
/** A page that is not printed by then never is. */
const PRINT_MS = 120_000;

/** Prints a page of ours, which runs no script and fetches nothing. Errors: `infrastructure` without a browser, or where it fails. */
async function printPage(page: string, pdf: string): Promise<void> {
  const browser = BROWSERS.flatMap((name) => findProgram(name) ?? [])[0];
  if (browser === undefined)
    throw infrastructure(
      '--pdf needs a Chromium on the PATH, and this machine has none: install chromium, or print from a browser.',
    );
  const profile = await mkdtemp(join(tmpdir(), 'predict-pdf-'));
  const printed = join(profile, 'page.pdf');
  // Its sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const words = ['--headless', '--disable-gpu', `--user-data-dir=${profile}`, '--no-pdf-header-footer', ...sandbox];
  try {
    const { exitCode, stderr } = await execa(
      browser,
      [...words, `--print-to-pdf=${printed}`, pathToFileURL(page).href],
      {
        ...{ reject: false, timeout: PRINT_MS, stdin: 'ignore' },
      },
    );
    const content = await readFile(printed).catch(() => null);
    if (exitCode !== 0 || content === null)
      throw infrastructure(
        `${browser} did not print ${page}: ${lastLines(stderr, 1) || 'it left no file'}. Print from a browser.`,
      );
    await writeFileWhole(pdf, content);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

/** As an absolute path; `-` is standard output. */
function placeOf(file: string): string {
  return file === '-' ? file : resolve(file);
}
