/** Tiny pieces that every room may use: errors with exit codes, text, units, numbers, files. What other rooms use of it; they import it from the file that defines it. */
export { ahead } from './ahead.ts';
export { ascending } from './ascending.ts';
export { at, last } from './at.ts';
export { COUNTS, NUMBERS, parseCount, parseNumber, parseSeconds, RANGES, refuseMore, SIZES, TIMES } from './bounds.ts';
export { capital } from './capital.ts';
export { closest } from './closest.ts';
export { compareCodePoints, compareText } from './compare-text.ts';
export { csvFields } from './csv-fields.ts';
export { assertNever, attempt, badInput, EXIT, infrastructure, messageOf, PredictError, unwritable } from './errors.ts';
export { findProgram } from './find-program.ts';
export { fitsGlob } from './fits-glob.ts';
export { groupAlike, likeness, sameOfHosts } from './group-alike.ts';
export { groupBy } from './group-by.ts';
export { PATH_NAME, PATH_NAME_RULE, pathInside } from './inside.ts';
export { endsText, estimateText, intervalText } from './interval-text.ts';
export { joinWords } from './join-words.ts';
export { judgePath, oddPath, type PathPart, pathParts } from './judge-path.ts';
export { lastLines } from './last-lines.ts';
export { LineReader, linesIn } from './line-reader.ts';
export { closeLocked, lockFile } from './lock-file.ts';
export { nodesText } from './nodes-text.ts';
export { own } from './own.ts';
export { printable, printableLine } from './printable.ts';
export { cacheFolder, privateFolder } from './private-folder.ts';
export { projectRoot } from './project-root.ts';
export { mulberry32, shuffledIndices } from './random.ts';
export { formatRange, parseRange } from './ranges.ts';
export { quote, quoteAll, type Script, scriptWords, sh, underAnyShell } from './shell.ts';
export { shortened } from './shortened.ts';
export { sizeText, underSize } from './size-text.ts';
export {
  asBitsPerSecond,
  asPercent,
  asSeconds,
  type BitsPerSecond,
  BYTES,
  formatBytes,
  formatRate,
  formatSeconds,
  type Percent,
  parseBytes,
  parsePercent,
  parseRate,
  RATE,
  rateOf,
  type Seconds,
  trimNumber,
} from './units.ts';
export { isGzip, unpacked } from './unpack.ts';
export { WIRE_BYTES } from './wire.ts';
export { withoutEnd } from './without-end.ts';
export { tellOfWork, working } from './working.ts';
export type { Fault } from './yaml/explain-issue.ts';
export { explain, faulty, parseYaml } from './yaml/parse-yaml.ts';
export { readYaml } from './yaml/read-yaml.ts';
export {
  countField,
  field,
  namesField,
  percentField,
  rangeField,
  secondsField,
  wrongFlags,
} from './yaml/yaml-fields.ts';
