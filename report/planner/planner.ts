// Runs in the reader's browser (launch/bundle.mjs): the page's draws, asked by the functions that answer the command.
import { at, last } from '../../base/lists.ts';
import { formatRate, formatSeconds } from '../../base/units.ts';
import { type ToldCluster, tellClusters } from '../../modeling/answers/decide/tell-clusters.ts';
import { unpackEnsemble } from '../../modeling/judge/pack-ensemble.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { number } from '../format.ts';
import { drawPlan } from './draw-plan.ts';
import type { PlanData } from './plan-data.ts';

const FRAGMENT = '#planner:';
const WISHES = ['deadline', 'price', 'linkPrice', 'runs'] as const;
/** So many node counts of a long list make a line. */
const DRAWN = 24;

const section = find<HTMLElement>(document, '#planner');
const form = find<HTMLFormElement>(section, 'form');
const plan = JSON.parse(find(section, 'script').textContent) as PlanData;
const ensemble = unpackEnsemble(plan.ensemble);

section.hidden = false;
restore();
show();
form.addEventListener('input', () => {
  show();
  history.replaceState(null, '', `${FRAGMENT}${new URLSearchParams(entries(settings()))}`);
});
form.addEventListener('submit', (event) => event.preventDefault());
addEventListener('resize', show);
addEventListener('hashchange', () => {
  restore();
  show();
});

type Settings = ReturnType<typeof settings>;

function settings() {
  const wish = (name: (typeof WISHES)[number]): number | undefined => {
    const { valueAsNumber: value } = field(name) ?? { valueAsNumber: Number.NaN };
    return value > 0 ? value : undefined;
  };
  return {
    nodes: at(plan.nodes, Number(field('nodes')?.value)),
    bw: Number(field('bw')?.value ?? plan.start.bw),
    scale: at(plan.scales, Number(field('scale')?.value ?? 0)),
    ...{ deadline: wish('deadline'), price: wish('price'), linkPrice: wish('linkPrice'), runs: wish('runs') },
  };
}

function entries(chosen: Settings): string[][] {
  return Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

/** The settings that a link brought. */
function restore(): void {
  if (!location.hash.startsWith(FRAGMENT)) return;
  const kept = new URLSearchParams(location.hash.slice(FRAGMENT.length));
  const given = (name: string): number | null => {
    const text = kept.get(name);
    return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const set = (name: string, value: number | null): void => {
    const own = field(name);
    if (own !== null && value !== null) own.value = String(value);
  };
  const nearest = (list: readonly number[], wanted: number | null): number | null =>
    wanted && list.reduce((best, one, index) => (far(one, wanted) < far(at(list, best), wanted) ? index : best), 0);
  set('nodes', nearest(plan.nodes, given('nodes')));
  set('bw', given('bw'));
  set('scale', nearest(plan.scales, given('scale')));
  form.querySelectorAll<HTMLInputElement>('input[type=number]').forEach((own) => {
    own.value = '';
  });
  for (const name of WISHES) set(name, given(name));
  section.scrollIntoView();
}

function far(one: number, other: number): number {
  return Math.abs(one - other);
}

function show(): void {
  const chosen = settings();
  const { nodes, bw, scale, ...wishes } = chosen;
  const ask = (counts: readonly number[]): ToldCluster[] =>
    tellClusters(ensemble, { ...wishes, nodes: counts, bw: [bw], scales: [scale], edgeFactor: plan.edgeFactor });
  const cluster = at(ask([nodes]), 0);
  write('nodes', `${nodes}`);
  write('bw', `${bw} %, ${formatRate((plan.lineRateBps * bw) / 100)}`);
  write('scale', `${scale}`);
  const told = cluster.abstains === null ? tell(cluster, chosen) : [];
  find(section, '.told').replaceChildren(...told);
  const doubt = find<HTMLElement>(section, '.doubt');
  doubt.hidden = cluster.abstains === null;
  doubt.textContent = cluster.abstains === null ? '' : `No prediction: ${cluster.abstains}`;
  const words = commandOf(chosen).map((word) => Object.assign(document.createElement('span'), { textContent: word }));
  find(section, 'code').replaceChildren(...words.flatMap((word) => [word, ' ']));
  const step = Math.ceil(plan.nodes.length / DRAWN);
  const drawn = plan.nodes.filter((count, index) => count === nodes || (plan.nodes.length - 1 - index) % step === 0);
  const line = ask(drawn).filter(({ abstains }) => abstains === null);
  const points = plan.points.filter((point) => point.bw === bw && point.scale === scale);
  find(section, 'figcaption strong').textContent = 'Completion time by nodes';
  find(section, 'figcaption span').textContent =
    `At ${bw} % bandwidth${plan.scales.length > 1 ? `, scale ${scale}` : ''}: the line with its 90 % band${points.length > 0 ? ', rings are measured means' : ''}. ${firstInTime(chosen, ask)}`;
  drawPlan(find(section, '.chart'), { line, points, chosen: cluster, deadline: wishes.deadline ?? null });
}

/** The numbers with their intervals; each carries what it was rounded from. */
function tell(cluster: ToldCluster, { deadline, runs = 1 }: Settings): HTMLElement[] {
  const percent = (value: number): string => `${value.toFixed(0)} %`;
  const within = cluster.withinDeadlinePercent;
  return [
    tile('ct', plan.noun === 'search' ? 'Time of a search' : 'Time of a run', cluster.ct, formatSeconds),
    ...(cluster.gteps === null ? [] : [tile('gteps', 'GTEPS', cluster.gteps, number)]),
    tile('efficiencyPercent', `Efficiency against ${at(plan.nodes, 0)} nodes`, cluster.efficiencyPercent, percent),
    tile('nodeHours', runs === 1 ? 'Node-hours' : `Node-hours of ${number(runs)}`, cluster.nodeHours, number),
    ...(cluster.cost === null
      ? []
      : [tile('cost', runs === 1 ? 'Cost' : `Cost of ${number(runs)}`, cluster.cost, number)]),
    ...(within === null || deadline === undefined
      ? []
      : [
          tile(
            'withinDeadlinePercent',
            `Within ${formatSeconds(deadline)}`,
            { value: within, low: null, high: null },
            percent,
          ),
        ]),
  ];
}

function tile(
  name: string,
  label: string,
  { value, low, high }: Estimate,
  text: (value: number) => string,
): HTMLElement {
  const made = document.createElement('div');
  const part = (tag: string, className: string, content: string): HTMLElement => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = content;
    return element;
  };
  made.dataset.name = name;
  for (const [end, one] of Object.entries({ value, low, high })) if (one !== null) made.dataset[end] = String(one);
  const show = (one: number | null): string => (one === null ? '?' : text(one));
  const ends = low === null && high === null ? [] : [part('dd', 'ends', `${show(low)} to ${show(high)}`)];
  made.append(part('dt', '', label), part('dd', 'value', show(value)), ...ends);
  return made;
}

/** Which clusters are under the deadline, at this bandwidth and scale. */
function firstInTime({ deadline }: Settings, ask: (counts: readonly number[]) => ToldCluster[]): string {
  if (deadline === undefined) return '';
  const answered = ask(plan.nodes).filter(({ abstains }) => abstains === null);
  const likely = answered.find(({ ct }) => ct.value <= deadline);
  const sure = answered.find(({ ct }) => (ct.high ?? Number.POSITIVE_INFINITY) <= deadline);
  if (likely === undefined)
    return `No cluster of at most ${last(plan.nodes)} nodes is under ${formatSeconds(deadline)}.`;
  const surely = sure === undefined ? 'none surely' : `${sure.nodes} surely`;
  return `${likely.nodes} nodes are the fewest under ${formatSeconds(deadline)}, ${surely}.`;
}

/** Word by word; a flag with its value is one. */
function commandOf({ nodes, bw, scale, ...wishes }: Settings): string[] {
  const flags = { deadline: '--deadline', price: '--price', linkPrice: '--link-price', runs: '--runs' };
  const asked = WISHES.flatMap((name) => (wishes[name] === undefined ? [] : [`${flags[name]} ${wishes[name]}`]));
  const link = plan.bandwidths === null ? [] : [`--bw ${bw}`];
  const size = plan.scales.length > 1 ? [`--scale ${scale}`] : [];
  return [plan.command, `--nodes ${nodes}`, ...link, ...size, ...asked];
}

function write(name: string, text: string): void {
  const output = form.querySelector(`[name="${name}-text"]`);
  if (output !== null) output.textContent = text;
}

function field(name: string): HTMLInputElement | null {
  return form.querySelector(`input[name="${name}"]`);
}

function find<T extends Element>(from: ParentNode, what: string): T {
  const found = from.querySelector<T>(what);
  if (found === null) throw new Error(`the page has no ${what}`);
  return found;
}
