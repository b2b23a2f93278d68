/** Tiny pieces that every room may use: errors with exit codes, text, units, numbers, files. What other rooms use of it; they import it from the file that defines it. */
export { COUNTS, NUMBERS, RANGES, SIZES, TIMES, parseCount, parseNumber, parseSeconds, refuseMore } from './bounds.ts';
export { EXIT, PredictError, assertNever, attempt, badInput, infrastructure, messageOf, unwritable } from './errors.ts';
export { LineReader, csvFields, linesIn } from './line-reader.ts';
export { ascending, at, equalStretches, groupBy, last, mulberry32, own, shuffledIndices, stretchesOf } from './lists.ts';
export { closeLocked, lockFile } from './lock-file.ts';
export { PATH_NAME, PATH_NAME_RULE, type PathPart, cacheFolder, findProgram, judgePath, oddPath, pathInside, pathParts, privateFolder, projectRoot } from './paths.ts';
export { formatRange, parseRange } from './ranges.ts';
export { type Script, quote, quoteAll, scriptWords, sh, underAnyShell } from './shell.ts';
export { capital, closest, compareCodePoints, compareText, fitsGlob, groupAlike, joinWords, lastLines, likeness, printable, printableLine, sameOfHosts, shortened, withoutEnd } from './text.ts';
export { BYTES, type BitsPerSecond, type Percent, RATE, type Seconds, WIRE_BYTES, asBitsPerSecond, asPercent, asSeconds, endsText, estimateText, formatBytes, formatRate, formatSeconds, intervalText, nodesText, parseBytes, parsePercent, parseRate, rateOf, sizeText, trimNumber, underSize } from './units.ts';
export { isGzip, unpacked } from './unpack.ts';
export { ahead, tellOfWork, working } from './working.ts';
export { type Fault, explain, faulty, parseYaml } from './yaml/parse-yaml.ts';
export { readYaml } from './yaml/read-yaml.ts';
export { countField, field, namesField, percentField, rangeField, secondsField, wrongFlags } from './yaml/yaml-fields.ts';
