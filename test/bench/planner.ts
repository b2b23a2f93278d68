// npm run bench -- planner [--campaign DIR]: the page's planner in Chromium at twenty random settings, each beside `predict model --json`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { parseHTML } from 'linkedom';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import type { PlanData } from '../../report/planner/plan-data.ts';
import type { Document } from '../report/page.ts';

const SETTINGS = 20;
const FIGURES = ['ct', 'gteps', 'efficiencyPercent', 'nodeHours', 'cost', 'withinDeadlinePercent'] as const;

type Ends = Readonly<Record<'value' | 'low' | 'high', number | null>>;

const { values } = parseArgs({ args: process.argv.slice(3), options: { campaign: { type: 'string' } } });
const campaign = values.campaign ?? join(projectRoot(), 'test/fixtures/campaigns/alltoall');
const predict = join(projectRoot(), 'dist/program/main.cjs');
const folder = mkdtempSync(join(tmpdir(), 'bench-planner-'));
try {
  const page = join(folder, 'report.html');
  await execa(process.execPath, [predict, 'report', campaign, '--out', page]);
  const plan: PlanData = JSON.parse((await domOf(page, '')).querySelector('#planner script')?.textContent ?? 'null');
  const random = createRandom(31);
  const pick = <T>(list: readonly T[]): T => at(list, Math.floor(random.uniform() * list.length));
  let [numbers, furthest, differing] = [0, 0, 0];
  for (let index = 0; index < SETTINGS; index += 1) {
    const [least, most] = plan.bandwidths ?? [plan.start.bw, plan.start.bw];
    const asked = {
      nodes: pick(plan.nodes),
      bw: least + Math.floor(random.uniform() * (most - least + 1)),
      scale: pick(plan.scales),
      deadline: Number((0.01 * 100 ** random.uniform()).toPrecision(3)),
      price: Number((5 * random.uniform() + 0.01).toFixed(2)),
      linkPrice: Number((random.uniform() + 0.01).toFixed(2)),
      runs: 1 + Math.floor(1e6 * random.uniform()),
    };
    const shown = await domOf(
      page,
      `#planner:${new URLSearchParams(Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]))}`,
    );
    const command = (shown.querySelector('#planner code')?.textContent ?? '').trim().split(' ');
    const { stdout } = await execa(process.execPath, [predict, ...command.slice(1), '--json']);
    const { decisions } = JSON.parse(stdout);
    const told: Record<string, Ends | number | null> & { abstains: string | null } = decisions.options[0];
    for (const name of FIGURES) {
      const expected = told.abstains === null ? told[name] : null;
      const tile = shown.querySelector(`[data-name="${name}"]`);
      for (const end of ['value', 'low', 'high'] as const) {
        const wanted =
          expected === null || expected === undefined
            ? null
            : typeof expected === 'number'
              ? end === 'value'
                ? expected
                : null
              : expected[end];
        const text = tile?.getAttribute(`data-${end}`) ?? null;
        if (wanted === null && text === null) continue;
        numbers += 1;
        const off =
          wanted === null || text === null
            ? Number.POSITIVE_INFINITY
            : Math.abs(Number(text) - wanted) / Math.abs(wanted || 1);
        furthest = Math.max(furthest, off);
        if (off > 1e-5) {
          differing += 1;
          console.log(`${command.join(' ')}: ${name} ${end} is ${text} on the page, ${wanted} by the command`);
        }
      }
    }
  }
  console.log(
    `${SETTINGS} settings, ${numbers} numbers: ${differing} differ by more than 0.001 %; the furthest by ${furthest.toExponential(1)}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

async function domOf(page: string, fragment: string) {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom'];
  const { stdout } = await execa('chromium', [...flags, `file://${page}${fragment}`], {
    timeout: 60_000,
    stderr: 'ignore',
  });
  return parseHTML(stdout).document as unknown as Document;
}
