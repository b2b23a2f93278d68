// Analyses one Timely trace in a process of its own: from its bytes to waits, activities and the whole critical path.

import { openBytes } from '../../../analysis/path/formats/open-bytes.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { analyseTimely } from '../../../analysis/path/timely/analyse-timely.ts';

const [, , path = ''] = process.argv;
const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
globalThis.gc?.();
const before = held();
const [began, spent] = [performance.now(), process.cpuUsage()];
const found = await analyseTimely(openBytes(path), { skew: new Map(), waitFrom: 'op' });
if (found === null) throw new Error(`${path} is no Timely trace`);
const { activities } = found;
criticalPath(activities, wholeSlice(activities));
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(spent);
const cpuSeconds = (user + system) / 1e6;
globalThis.gc?.();
const rows = activities.work.startNs.length + activities.transfers.startNs.length;
console.log(JSON.stringify({ events: found.lines, seconds, cpuSeconds, activities: rows, bytes: held() - before }));
