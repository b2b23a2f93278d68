// Faults of one host of an emulated cluster, planted from outside: half its processor time, a slower link.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { at } from '../../base/lists.ts';
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

/** Sets the rate of a host's link both ways, at the switch: `node05` is at its fifth port. Rates as tc writes them, bursts in bytes. */
export async function setLink(
  lab: string,
  host: string,
  { rate, burst }: { readonly rate: string; readonly burst: number },
): Promise<void> {
  const port = Number(host.replace(/\D+/, ''));
  for (const device of [`p${port}`, `i${port}`]) {
    const htb = ['parent', '7077:', 'classid', '7077:2', 'htb', 'rate', rate, 'ceil', rate];
    const words = ['class', 'change', 'dev', device, ...htb, 'burst', String(burst), 'cburst', String(burst)];
    await execa('nsenter', ['-t', String(processes(lab, 'switch').at(-1)), '-n', 'tc', ...words], { stderr: 'ignore' });
  }
}

function processes(lab: string, group: string): readonly string[] {
  const text = readFileSync(join(at(labCgroups(lab).roots, 0), group, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}
