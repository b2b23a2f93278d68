// The activity graph from 10^5 to 10^7 activities (PATH_MOST=1000000 ends earlier): time per activity must not grow with their number.
import { activityGraph } from '../../../analysis/path/graph/activity-graph.ts';
import { checkProperties } from '../../../analysis/path/graph/check-properties.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { profilePath } from '../../../analysis/path/graph/profile-path.ts';
import { slicesOf, wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { longestPaths, slackOf } from '../../../analysis/path/graph/vertex-times.ts';
import { largeActivities } from './large-activities.ts';

const MOST = Number(process.env.PATH_MOST ?? 1e7);

console.log(
  'activities  properties     path  on the path  100 slices  explicit graph  longest, slack  ns per activity',
);
for (let count = 1e5; count <= MOST; count *= 10) {
  const activities = largeActivities(count);
  const whole = wholeSlice(activities);
  const rows = activities.work.startNs.length;
  const parts = slicesOf(whole, Math.ceil((whole.endNs - whole.startNs) / 100));
  const properties = timed(() => checkProperties(activities, whole));
  const path = timed(() => profilePath(activities, criticalPath(activities, whole)));
  const steps = criticalPath(activities, whole).steps.count;
  const slices = timed(() => parts.forEach((slice) => void profilePath(activities, criticalPath(activities, slice))));
  const columns = [rows, ms(properties), ms(path), steps, ms(slices)];
  let [graphMs, slackMs] = [Number.NaN, Number.NaN];
  graphMs = timed(() => void activityGraph(activities), 1);
  const graph = activityGraph(activities);
  slackMs = timed(() => {
    longestPaths(graph);
    slackOf(activities, graph);
  }, 1);
  const each = ((properties + path) * 1e6) / rows;
  const widths = [10, 10, 7, 11, 10, 14, 14, 15];
  const texts = [...columns, ms(graphMs), ms(slackMs), each.toFixed(1)].map((cell, index) =>
    String(cell).padStart(widths[index] ?? 0),
  );
  console.log(texts.join('  '));
}

/** The best of three, ms: other work on the machine only ever adds. */
function timed(work: () => unknown, runs = 3): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`;
}
