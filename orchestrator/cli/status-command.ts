import { badInput } from '../../base/errors.ts';
import { at, groupBy } from '../../base/lists.ts';
import { quote } from '../../base/shell.ts';
import { trimNumber } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import { checkCampaign, repairCampaign } from '../../experiments/store/check-campaign.ts';
import { inParallelText } from '../../experiments/store/event-text.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import { refuseFlags, type Switches } from './flags.ts';
import { type Answer, note, print, printCareful, printFailed, printTable, right, scaleColumn } from './print.ts';
import { watchStatus } from './watch-status.ts';

/** How far a campaign is, or whether it is as it was measured. */
export async function statusCommand(
  dir: string,
  flags: Switches<'verify' | 'repair' | 'watch'>,
): Promise<Answer | undefined> {
  if (flags.watch) {
    refuseFlags(flags, ['verify', 'repair'], 'looks at files, --watch at a sweep: give one of them.');
    return void (await watchStatus(dir, { json: flags.json }));
  }
  if (flags.verify || flags.repair) return await check(dir, flags.repair === true);
  const state = await readStatus(dir);
  return { json: state, say: () => printStatus(state) };
}

function printStatus(state: Awaited<ReturnType<typeof readStatus>>): void {
  const { name, cells, groups, failures, overhead, careful, inParallel } = state;
  print(`${name}: ${cells.done} of ${cells.planned} cells done, ${cells.failed} failed`);
  printTable(groups, [
    right('nodes', ({ nodes }) => nodes),
    ...scaleColumn(groups, ({ scale }) => scale),
    right('planned', ({ planned }) => planned),
    right('done', ({ done }) => done),
    right('failed', ({ failed }) => failed),
  ]);
  for (const alike of groupBy(failures, ({ reason }) => reason)) {
    const { cell, kind, folder, reason } = at(alike, 0);
    const more = alike.length > 1 ? ` (and ${alike.length - 1} more)` : '';
    printFailed(`${kind}: ${cellName(cell)}${more}: ${reason} (${folder})`);
  }
  for (const size of inParallel) print(inParallelText(size));
  if (careful !== null) printCareful(careful);
  if (!overhead) return;
  const [perCell, cpu] = [overhead.perCellS, overhead.samplerCpuPercent].map(trimNumber);
  print(`Overhead: ${perCell} s per cell besides the workload; samplers used ${cpu} % of a core each`);
}

/** Exit 0 for a campaign that is whole, also after a repair; otherwise `badInput`. */
async function check(dir: string, repair: boolean): Promise<Answer> {
  const { problems, partials, moved } = repair
    ? await repairCampaign(dir, controllerName('status --repair'))
    : { ...(await checkCampaign(dir)), moved: [] };
  const whole = problems.length === 0;
  const listed = problems.map(({ path, cell, problem }) => ({ path, cell, problem }));
  const say = (): void => {
    for (const { from, to } of moved) print(`${from} was moved aside to ${to}`);
    for (const { path, problem } of problems) print(`${path} ${problem}`);
    for (const path of partials)
      note(`predict: ${path} is being written by a sweep, or was left by a killed one; the next sweep removes it.`);
    if (whole) print(`${dir} is intact.`);
  };
  const after = (): void => {
    if (whole) return;
    const fatal = problems.find(({ part }) => part === null);
    const advice = fatal
      ? `restore ${fatal.path} from a copy, or start a new folder`
      : `'predict status ${quote(dir)} --repair' moves it aside`;
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    throw badInput(`${dir} is damaged (${count}): ${advice}.`);
  };
  return { json: { whole, problems: listed, setAside: moved }, say, after };
}
