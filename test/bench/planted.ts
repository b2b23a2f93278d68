// npm run bench -- planted: one of nine hosts of a lab gets half its processor quota, then a tenth of its link; who stands out? (root)
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { at, projectRoot } from '../../base/index.ts';
import { labCgroups } from '../../inventory/lab/cgroups.ts';

const [LAB, HOSTS, CPU_PERCENT, LINK] = ['planted', 9, 6, '200mbit'];
const PORT = 5;
const HOST = `node0${PORT}`;
const folder = mkdtempSync(join(tmpdir(), 'predict-planted-'));
const predict = (...words: readonly string[]) => execa(join(projectRoot(), 'predict'), words, { stderr: 'ignore' });

try {
  await predict('lab', 'up', '--name', LAB, '--hosts', String(HOSTS), '--cpu', `${CPU_PERCENT}%`, '--link', LINK);
  await measured('nothing planted', async () => undefined);
  await measured(`${HOST} has half its processor quota`, async () => quota(CPU_PERCENT / 2));
  quota(8 * CPU_PERCENT);
  await measured(`the link of ${HOST} has a tenth of its rate`, async (signal) => void whileRunning(signal));
} finally {
  await predict('lab', 'down', '--name', LAB);
  rmSync(folder, { recursive: true, force: true });
}

/** A sweep with a fault, and the hosts on which the critical path lies. */
async function measured(what: string, plant: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const out = join(folder, what.replaceAll(' ', '-'));
  const ended = new AbortController();
  await plant(ended.signal);
  const inventory = `/var/lib/predict-lab/${LAB}/inventory.yaml`;
  const size = ['--nodes', String(HOSTS), '--scales', '20', '--bw', '100', '--roots', '8', '--repeats', '0'];
  await predict('sweep', '--inventory', inventory, ...size, '--out', out).finally(() => ended.abort());
  const { stdout } = await predict('critical-path', out, '--cell', `${HOSTS}:20:100`, '--by', 'host', '--json');
  const { by, meanNs, sentences } = JSON.parse(stdout) as {
    by: Record<string, number>;
    meanNs: { length: number };
    sentences: string[];
  };
  const share = (100 * (by[HOST] ?? 0)) / meanNs.length;
  console.log(`${what}: a search takes ${(meanNs.length / 1e6).toFixed(0)} ms, ${share.toFixed(0)} % of it on ${HOST}`);
  for (const sentence of sentences) console.log(`  ${sentence}`);
}

/** The kernel's quota of the host, percent of a core. */
function quota(percent: number): void {
  const { version, roots } = labCgroups(LAB);
  const group = join(at(roots, 0), HOST);
  const periodUs = 100_000;
  const quotaUs = Math.round((periodUs * percent) / 100);
  const set = (file: string, text: string): void => writeFileSync(join(group, file), text);
  if (version === 'v2') {
    set('cpu.max', `${quotaUs} ${periodUs}`);
  } else {
    set('cpu.cfs_quota_us', '-1');
    set('cpu.cfs_period_us', String(periodUs));
    set('cpu.cfs_quota_us', String(quotaUs));
  }
}

/** Slow while ranks run only: the links are probed before, and one that is slow then is refused. */
async function whileRunning(signal: AbortSignal): Promise<void> {
  let slow = false;
  while (!signal.aborted) {
    const runs = processes(HOST).some((pid) => nameOf(pid).startsWith('predict-graph'));
    if (runs !== slow) await rate(runs ? '20mbit' : LINK);
    slow = runs;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (slow) await rate(LINK);
}

/** Both ways, at the switch. */
async function rate(text: string): Promise<void> {
  const burst = text === LINK ? '100000' : '20000';
  for (const device of [`p${PORT}`, `i${PORT}`]) {
    const words = [
      'class',
      'change',
      'dev',
      device,
      'parent',
      '1:',
      'classid',
      '1:1',
      'htb',
      'rate',
      text,
      'ceil',
      text,
    ];
    const inSwitch = ['-t', String(processes('switch').at(-1)), '-n', 'tc', ...words, 'burst', burst, 'cburst', burst];
    await execa('nsenter', inSwitch, { stderr: 'ignore' });
  }
}

function processes(group: string): readonly string[] {
  const text = readFileSync(join(at(labCgroups(LAB).roots, 0), group, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}
