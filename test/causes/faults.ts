// Faults of one host of an emulated cluster, planted from outside: half its processor time, a slower link.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { at } from '../../base/index.ts';
import { labCgroups } from '../../inventory/lab/cgroups.ts';

/** Sets the kernel's quota of a host, percent of a core. */
export function setQuota(lab: string, host: string, percent: number): void {
  const { version, roots } = labCgroups(lab);
  const group = join(at(roots, 0), host);
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

interface SlowLink {
  readonly lab: string;
  /** `node05` is at the switch's fifth port. */
  readonly host: string;
  /** Rates as tc writes them. */
  readonly rate: string;
  readonly usual: string;
  /** How the names of the processes begin while which the link is slow. */
  readonly program: string;
}

/** Slow while ranks run only, until the signal: links are probed before, and one that is slow then is refused. */
export async function slowLinkWhileRunning(
  { lab, host, rate, usual, program }: SlowLink,
  signal: AbortSignal,
): Promise<void> {
  const port = Number(host.replace(/\D+/, ''));
  const set = (text: string): Promise<void> =>
    setRate({ lab, port, rate: text, burst: text === usual ? 100_000 : 5000 });
  let slow = false;
  while (!signal.aborted) {
    const runs = processes(lab, host).some((pid) => nameOf(pid).startsWith(program));
    if (runs !== slow) await set(runs ? rate : usual);
    slow = runs;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (slow) await set(usual);
}

interface Rate {
  readonly lab: string;
  readonly port: number;
  readonly rate: string;
  readonly burst: number;
}

/** Both ways, at the switch. */
async function setRate({ lab, port, rate, burst }: Rate): Promise<void> {
  for (const device of [`p${port}`, `i${port}`]) {
    const htb = ['parent', '1:', 'classid', '1:1', 'htb', 'rate', rate, 'ceil', rate];
    const words = ['class', 'change', 'dev', device, ...htb, 'burst', String(burst), 'cburst', String(burst)];
    await execa('nsenter', ['-t', String(processes(lab, 'switch').at(-1)), '-n', 'tc', ...words], { stderr: 'ignore' });
  }
}

function processes(lab: string, group: string): readonly string[] {
  const text = readFileSync(join(at(labCgroups(lab).roots, 0), group, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}
