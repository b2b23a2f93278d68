import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../../experiments/make.ts';

/** Keeps a table of jobs in the folder of these programs: a job runs its script here, in a process group of its own, until its limit. */
const TABLE = `#!/bin/sh
folder=$(dirname "$0")/jobs
mkdir -p "$folder"
submit() {
  id=$(($(ls "$folder" | wc -l) + 1))
  mkdir "$folder/$id"
  cat > "$folder/$id/script"
  date +%s > "$folder/$id/began"
  echo "$1" > "$folder/$id/limit"
  setsid sh -c 'timeout --foreground "$1" sh "$2/script"; touch "$2/ended"' sh "$1" "$folder/$id" >/dev/null 2>&1 </dev/null &
  echo $! > "$folder/$id/pid"
}
runs() { [ -d "$folder/$1" ] && [ ! -e "$folder/$1/ended" ]; }
end() { ! runs "$1" || { touch "$folder/$1/ended"; kill -- "-$(cat "$folder/$1/pid")"; }; }
began() { cat "$folder/$1/began"; }
limit() { cat "$folder/$1/limit"; }
hms() { printf '%02d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
`;

/** What OpenPBS 23.06 says, less lines that nobody reads here: qsub(1B), qstat(1B), qdel(1B). */
const PBS = {
  qsub: String.raw`
case "$*" in
*nope*) echo 'qsub: Unknown resource Resource_List.nope' >&2; exit 159 ;;
esac
submit "$(echo "$*" | sed -n 's/.*walltime=\([0-9]*\).*/\1/p')"
echo "$id.head"`,
  qstat: String.raw`
id=\${2%.head}
runs "$id" || { echo "qstat: Unknown Job Id $2" >&2; exit 153; }
printf 'Job Id: %s\n    Job_Name = predict\n    resources_used.walltime = 00:00:00\n    job_state = R\n' "$2"
printf '    exec_host = node01/0*2+node02/0*2\n    exec_vnode = (node01:ncpus=2)+(node02:ncpus=2)\n'
printf '    Resource_List.walltime = %s\n    stime = %s\n' "$(hms "$(limit "$id")")" "$(date -d "@$(began "$id")" '+%a %b %e %T %Y')"
printf '    comment = Job run at Sat Nov 28 at 08:59 on (node01:ncpus=2)+(node02:ncpus=\n\t2)\n\n'`,
  qdel: String.raw`end "\${1%.head}"`,
};

/** LSF 10.1's command reference: bsub, bjobs -o, bkill. */
const LSF = {
  bsub: String.raw`
case "$*" in
*nope*) echo 'nope: No such queue. Job not submitted.' >&2; exit 255 ;;
esac
submit $(($(echo "$*" | sed -n 's/.*-W \([0-9]*\).*/\1/p') * 60))
echo "Job <$id> is submitted to default queue <normal>."`,
  bjobs: String.raw`
for id; do :; done
runs "$id" || { echo "Job <$id> is not found" >&2; exit 255; }
left=$(($(began "$id") + $(limit "$id") - $(date +%s)))
printf 'RUN|%d:%02d L|2*node01:2*node02|-\n' $((left / 3600)) $((left / 60 % 60))`,
  bkill: 'end "$1"; echo "Job <$1> is being terminated"',
};

/** What flux-core 0.88 says: flux-batch(1), flux-jobs(1), flux-cancel(1), flux-getattr(1). */
const FLUX = {
  flux: String.raw`
verb=$1
shift
for last; do :; done
case $verb in
batch)
  case "$*" in
  *nope*) echo "flux-batch: ERROR: [Errno 22] unsatisfiable request" >&2; exit 1 ;;
  esac
  submit "$(echo "$*" | sed -n 's/.*-t \([0-9]*\)s.*/\1/p')"
  echo "ƒ$id"
  ;;
jobs)
  id=\${last#ƒ}
  runs "$id" || { echo "JobID $last unknown" >&2; exit 1; }
  echo "RUN|$(($(began "$id") + $(limit "$id"))).25|node[01-02]|"
  ;;
cancel) end "\${last#ƒ}" ;;
getattr) echo 'node[01-02]' ;;
esac`,
};

/** Puts stand-ins of the programs of PBS, LSF and Flux on the PATH of a test; the real SLURM is asked by npm run test:slurm: their folder. */
export function installSchedulers(): string {
  const [folder, path] = [tempFolder(), process.env.PATH];
  for (const [name, script] of Object.entries({ ...PBS, ...LSF, ...FLUX })) {
    writeFileSync(join(folder, name), `${TABLE}${script.replaceAll('\\${', '${')}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  process.env.PATH = `${folder}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  return folder;
}
