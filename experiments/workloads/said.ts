/** Lines that a launcher adds when a rank has failed, which say nothing of why. */
const FOOTER =
  /^(\[[^\]\s]+\] \d+ more process(es)? ha(s|ve) sent help message|\[[^\]\s]+\] Set MCA parameter|srun: (Job step aborted|Terminating)|slurmstepd: error: \*\*\*|[=*-]{20}[=*-]*$)/;
/** Open MPI's frames around what it says itself. */
const FRAME = /^-{20}-*$/;
const MOST_LINES = 2;
const MOST_CHARACTERS = 300;

/**
 * What a run that failed said of it, for a sentence: the first lines of stderr that are not the launcher's, then the launcher's own
 * first ones, then the last line of stdout; '' for a run that said nothing.
 */
export function firstSaid({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const [own, launchers]: [string[], string[]] = [[], []];
  let framed = false;
  for (const raw of stderr.split(/\r?\n/)) {
    const line = raw.trim();
    if (FRAME.test(line)) framed = !framed;
    else if (line !== '' && !FOOTER.test(line)) (framed ? launchers : own).push(line);
  }
  const first = [own, launchers]
    .map((lines) => [...new Set(lines)])
    .find((lines) => lines.length > 0)
    ?.slice(0, MOST_LINES);
  const said =
    first ??
    stdout
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .slice(-1);
  const text = said.map((line) => line.trim()).join(' / ');
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 3)}...` : text;
}
