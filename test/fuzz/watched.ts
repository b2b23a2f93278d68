import { Worker } from 'node:worker_threads';

/** Of a processor, s: far beyond what an input may take, so that a slow one is reported by its test, and an endless one by this. */
const MOST_CPU_S = 5;
/** For one that waits for ever. */
const MOST_WALL_S = 120;
const LONGEST_NAME = 1024;

/** Shared with the thread that watches: how many tasks have begun, whether one is at work, and the name of the last. */
const state = new Int32Array(new SharedArrayBuffer(12));
const name = new Uint8Array(new SharedArrayBuffer(LONGEST_NAME));
let isWatching = false;

/** Looks twice a second whether the task is still the one that it was, and ends the process if that goes on for too long. */
const WATCHER = `
  const { workerData: { state, name, mostCpuS, mostWallS } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const cpuS = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  let [task, sinceCpu, sinceWall] = [-1, 0, 0];
  for (;;) {
    Atomics.wait(state, 2, 0, 500);
    const [now, isBusy] = [Atomics.load(state, 0), Atomics.load(state, 1)];
    if (now !== task || !isBusy) { task = now; sinceCpu = cpuS(); sinceWall = Date.now(); continue; }
    const [cpu, wall] = [cpuS() - sinceCpu, (Date.now() - sinceWall) / 1000];
    if (cpu < mostCpuS && wall < mostWallS) continue;
    const text = Buffer.from(name).toString().replace(/\\0.*/s, '');
    writeSync(2, text + ' does not come back: ' + cpu.toFixed(0) + ' s of a processor in ' + wall.toFixed(0) + ' s\\n');
    process.kill(process.pid, 'SIGKILL');
  }
`;

/** Does a task; one that never ends, which a time-out of this thread could not notice, ends the process and is named on stderr. */
export async function watched<T>(what: string, task: () => Promise<T>): Promise<T> {
  if (!isWatching) startWatcher();
  isWatching = true;
  name.fill(0);
  new TextEncoder().encodeInto(what, name);
  Atomics.add(state, 0, 1);
  Atomics.store(state, 1, 1);
  try {
    return await task();
  } finally {
    Atomics.store(state, 1, 0);
  }
}

function startWatcher(): void {
  const workerData = { state, name, mostCpuS: MOST_CPU_S, mostWallS: MOST_WALL_S };
  new Worker(WATCHER, { eval: true, workerData }).unref();
}
