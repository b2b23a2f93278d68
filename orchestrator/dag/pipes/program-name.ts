import { basename } from 'node:path';

const INTERPRETER = /^(?:(?:ba|da|z|k|a)?sh|python[\d.]*|perl[\d.]*|ruby[\d.]*|node|Rscript|php[\d.]*|tclsh[\d.]*)$/;

/** What people call a program: its file's name, for a script that of the script. */
export function programName({ name, args }: { readonly name: string; readonly args: string }): string {
  const words = args.split(' ').filter((word) => word !== '');
  // sshd and others write their state over their arguments: `sshd-session: root@notty`.
  const first = basename((words[0] ?? '').replace(/:$/, '')).replace(/^-/, '');
  const script = INTERPRETER.test(first) ? words.slice(1).find((word) => !word.startsWith('-')) : undefined;
  const byFlag = words.slice(1).some((word) => /^-[a-z]*[ce]$/.test(word));
  return (script !== undefined && !byFlag ? basename(script) : first) || name;
}
