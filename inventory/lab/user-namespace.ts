import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { execa } from 'execa';
import { infrastructure } from '../../base/errors.ts';
import { lastLines } from '../../base/text.ts';
import { labStateFolder, stateOnHosts } from './spec.ts';

/** Settings of the kernel that forbid user namespaces (sysctl), each with the value that does, and the way out. */
const FORBIDDING = [
  { name: 'user.max_user_namespaces', value: '0', allow: '15000' },
  { name: 'kernel.unprivileged_userns_clone', value: '0', allow: '1' },
  { name: 'kernel.apparmor_restrict_unprivileged_userns', value: '1', allow: '0' },
] as const;

/** Errors: `infrastructure` where this user cannot make what a lab without root lives in, with who can change that. */
export async function requireUserNamespaces(): Promise<void> {
  const tried = await execa('unshare', ['--map-root-user', '--net', '--mount', 'true'], { reject: false, all: true });
  if (!tried.failed) return;
  const found = FORBIDDING.find(
    ({ name, value }) => readText(`/proc/sys/${name.replaceAll('.', '/')}`).trim() === value,
  );
  const why = found ? `${found.name} is ${found.value}` : lastLines(tried.all, 1) || 'unshare cannot be run';
  const change = found ? `set it to ${found.allow} (sysctl -w ${found.name}=${found.allow})` : 'allow them';
  throw infrastructure(
    `A lab of an ordinary user needs user namespaces, which this machine forbids (${why}): have an administrator ${change}, or run this as root.`,
  );
}

/** What to do where a lab's log tells of a part of the kernel that is not there; null where it does not. */
export function missingModule(log: string): string | null {
  if (!/Unknown device type|qdisc kind is unknown|Operation not supported/.test(log)) return null;
  return '. The kernel lacks a part that only root can load: modprobe -a veth bridge ifb sch_htb sch_ingress cls_u32 cls_flow act_mirred';
}

/**
 * What a lab of this user's has used of the machine, seconds of one core, with processes that were waited for; null where it is not
 * there.
 */
export function rootlessLabCpu(name: string): number | null {
  const ids = namespaceProcesses(name);
  return ids.length === 0 ? null : ids.map(cpuSeconds).reduce((total, seconds) => total + seconds, 0);
}

/** Of /proc/PID/stat, behind the name: utime, stime, cutime and cstime are fields 14 to 17, in ticks of 10 ms. */
export function cpuSeconds(id: number | 'self'): number {
  const [, fields = ''] = /\) (.*)$/s.exec(readText(`/proc/${id}/stat`)) ?? [];
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((total, each) => total + each, 0) / 100;
}

/**
 * All process ids of a lab: of the process that makes it, which has the state folder's two paths among its words, and of all in that
 * one's user namespace. The first is the one by which the others are found.
 */
export function namespaceProcesses(name: string): readonly number[] {
  const words = [labStateFolder(name), stateOnHosts({ name })];
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && namespaceOf(name) !== null);
  const named = ids.filter((id) => words.every((word) => wordsOf(id).includes(word)));
  const own = namespaceOf('self');
  const theirs = new Set(named.map(namespaceOf).filter((space) => space !== null && space !== own));
  const members = ids.filter((id) => theirs.has(namespaceOf(id)));
  return [...new Set([...named, ...members])].map(Number);
}

function wordsOf(id: string): readonly string[] {
  return readText(`/proc/${id}/cmdline`).split('\0');
}

/** Empty where it cannot be read, such as of a process that is gone. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The user namespace of a process; null of one that is gone or another user's. */
function namespaceOf(id: string): string | null {
  try {
    return readlinkSync(`/proc/${id}/ns/user`);
  } catch {
    return null;
  }
}
