/** Tiny pieces that every room may use: errors with exit codes, text, units, numbers, files. What other rooms use of it; they import it from the file that defines it. */
export {
  COUNTS,
  NUMBERS,
  parseCount,
  parseNumber,
  parseSeconds,
  parseWord,
  RANGES,
  refuseMore,
  SIZES,
  TIMES,
} from './bounds.ts';
export { assertNever, attempt, badInput, EXIT, infrastructure, messageOf, PredictError, unwritable } from './errors.ts';
export { byLine, csvFields, LineReader, linesIn } from './line-reader.ts';
export {
  ascending,
  at,
  equalStretches,
  groupBy,
  last,
  lowerBound,
  mulberry32,
  own,
  shuffledIndices,
  stretchesOf,
  sumBy,
} from './lists.ts';
export { closeLocked, lockFile } from './lock-file.ts';
export {
  cacheFolder,
  findProgram,
  judgePath,
  oddPath,
  PATH_NAME,
  PATH_NAME_RULE,
  type PathPart,
  pathInside,
  pathParts,
  privateFolder,
  projectRoot,
  realPath,
} from './paths.ts';
export { formatRange, parseRange } from './ranges.ts';
export { quote, quoteAll, type Script, scriptWords, sh, underAnyShell } from './shell.ts';
export { splitWords } from './shell-words.ts';
export {
  capital,
  closest,
  compareCodePoints,
  compareText,
  fitsGlob,
  groupAlike,
  joinWords,
  lastLines,
  likeness,
  printable,
  printableLine,
  sameOfHosts,
  shortened,
  withoutEnd,
} from './text.ts';
export {
  asBitsPerSecond,
  asPercent,
  asSeconds,
  type BitsPerSecond,
  BYTES,
  endsText,
  estimateText,
  formatBytes,
  formatRate,
  formatSeconds,
  intervalText,
  nodesText,
  type Percent,
  parseBytes,
  parsePercent,
  parseRate,
  RATE,
  rateOf,
  roughly,
  type Seconds,
  sizeText,
  threeDigits,
  trimNumber,
  underSize,
  WIRE_BYTES,
} from './units.ts';
export { isGzip, unpacked } from './unpack.ts';
export { ahead, tellOfWork, working } from './working.ts';
export { explain, type Fault, faulty, parseYaml } from './yaml/parse-yaml.ts';
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
