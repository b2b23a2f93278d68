/** Whether a text fits a pattern in which `*` stands for any characters and `?` for one, in at most `pattern` times `text` steps. */
export function fitsGlob(pattern: string, text: string): boolean {
  let [at, wanted] = [0, 0];
  // Where the last star is, and how far what it stands for reaches: no earlier one has to be tried again.
  let [star, reached] = [-1, 0];
  while (at < text.length) {
    if (pattern[wanted] === '*') {
      star = wanted;
      reached = at;
      wanted += 1;
    } else if (wanted < pattern.length && (pattern[wanted] === '?' || pattern[wanted] === text[at])) {
      at += 1;
      wanted += 1;
    } else if (star >= 0) {
      reached += 1;
      at = reached;
      wanted = star + 1;
    } else return false;
  }
  while (pattern[wanted] === '*') wanted += 1;
  return wanted === pattern.length;
}
