import { median } from 'simple-statistics';
import { ascending } from '../../base/index.ts';
import type { Facts, FitRow, ProjectionRow } from '../data.ts';

/** Begins the name of a choice among all forms that was made without the node counts that it is asked for. */
export const BLIND = 'auto: ';
/** Median error (percent) beyond which projections are a direction only. */
export const LARGE_MISS = 20;

export type ReportFindings = ReturnType<typeof findingsOf>;

/** What is worth a sentence; undefined where the campaign does not tell. */
export function findingsOf(facts: Facts) {
  const scale = Math.max(...facts.points.map((point) => point.scale));
  const own = facts.points.filter((point) => point.scale === scale);
  const full = Math.max(...own.map((point) => point.bw));
  const baseline = own.filter((point) => point.bw === full).sort((a, b) => a.nodes - b.nodes);
  const main = baseline.at(-1);
  const preferred = facts.fits.find((fit) =>
    facts.projections.some((row) => row.fit === fit.id && row.scale === scale),
  );
  const crossing = facts.dominance.find((row) => row.bw === 100 && row.fit === preferred?.id);
  return {
    // The largest scale on the most nodes with the most bandwidth, what all is compared with; then with the least, and on the
    // fewest nodes.
    main,
    throttled: own.filter((point) => point.nodes === main?.nodes && point.bw < full).sort((a, b) => a.bw - b.bw)[0],
    smallest: baseline.length > 1 ? baseline[0] : undefined,
    // The bandwidth needed to be at most 10 % slower.
    need: needAt(facts, scale),
    // The farthest projection with the most and the least bandwidth.
    projected: farthest(
      facts.projections.filter((row) => row.fit === preferred?.id && row.scale === scale),
      main?.nodes ?? 0,
    ),
    // Where communication takes over at full bandwidth, and whether the model fits well enough to say so.
    crossing: crossing && { ...crossing, doubtful: preferred === undefined || isDoubtful(preferred) },
    // How far a choice that was made without some node counts missed them.
    miss: missOf(facts),
  };
}

/** A model whose form is not that of the program, or that found no computing at all. */
function isDoubtful({ misspecified, coefficients }: FitRow): boolean {
  return misspecified.length > 0 || coefficients.C1 === 0;
}

function needAt({ demand }: Facts, scale: number) {
  const rows = demand
    .filter((row) => row.source === 'measured' && row.ctiPercent === 10 && row.scale === scale)
    .sort((a, b) => a.nodes - b.nodes);
  const most = rows.at(-1);
  return most && { most, fewest: rows.length > 1 ? rows[0] : undefined };
}

function farthest(rows: readonly ProjectionRow[], measured: number) {
  const nodes = Math.max(...rows.map((row) => row.nodes));
  if (!(nodes > measured)) return undefined;
  const there = rows.filter((row) => row.nodes === nodes).sort((a, b) => a.bw - b.bw);
  const full = there.at(-1);
  return full && { full, low: there.length > 1 ? there[0] : undefined };
}

function missOf({ check }: Facts) {
  const heldOut = (check?.rows ?? []).filter((row) => row.set === 'heldOut');
  const model = heldOut[0]?.model;
  if (check === null || model === undefined) return undefined;
  const rows = heldOut.filter((row) => row.model === model);
  return {
    model: model.startsWith(BLIND)
      ? `the choice made there (${shortTitle(model.slice(BLIND.length))})`
      : shortTitle(model),
    medianPercent: median(rows.map((row) => Math.abs(row.errorPercent))),
    trainedOn: check.trainedOn,
    heldOut: ascending(rows.map((row) => row.nodes)),
  };
}

/** `Eq 6` of `Eq 6, refined model`: for use inside a sentence. */
export function shortTitle(title: string): string {
  return title.split(',')[0] ?? title;
}
