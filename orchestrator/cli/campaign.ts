import { badInput, quote } from '../../base/index.ts';
import { checkCampaign, repairCampaign } from '../../experiments/index.ts';
import { controllerName } from '../hosts/controller-lock.ts';
import type { Switches } from './flags.ts';
import { note, print, printJson } from './print.ts';

/** Exit 0 for a campaign that is whole, also after a repair; otherwise `badInput`. */
export async function campaignCheck(dir: string, { repair = false, json = false }: Switches<'repair'>): Promise<void> {
  const { problems, partials, moved } = repair
    ? await repairCampaign(dir, controllerName('status --repair'))
    : { ...(await checkCampaign(dir)), moved: [] };
  const whole = problems.length === 0;
  if (json) {
    const said = problems.map(({ path, cell, problem }) => ({ path, cell, problem }));
    printJson({ whole, problems: said, setAside: moved });
  } else {
    for (const { from, to } of moved) print(`${from} was moved aside to ${to}`);
    for (const { path, problem } of problems) print(`${path} ${problem}`);
    for (const path of partials)
      note(`predict: ${path} is being written by a sweep, or was left by a killed one; the next sweep removes it.`);
    if (whole) print(`${dir} is intact.`);
  }
  if (whole) return;
  const fatal = problems.find(({ part }) => part === null);
  const advice = fatal
    ? `restore ${fatal.path} from a copy, or start a new folder`
    : `'predict status ${quote(dir)} --repair' moves it aside`;
  throw badInput(
    `${dir} is damaged (${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}): ${advice}.`,
  );
}
