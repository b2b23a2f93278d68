/** The simple commands of a line as sh takes it: words, without comments and redirections; of quotes and `; | &&` what pages use. */
export function simpleCommands(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let redirects = false;
  for (const [token, , double, single] of line.matchAll(
    /\s#.*|^#.*|("([^"]*)"|'([^']*)'|[^\s;|&<>"'])+|&&|[;|]|>>?|</g,
  )) {
    if (/^\s*#/.test(token)) break;
    if (/^(?:&&|[;|])$/.test(token)) commands.push([]);
    else if (/^[<>]/.test(token)) redirects = true;
    else if (redirects) redirects = false;
    else if (double !== undefined || single !== undefined || /["']/.test(token)) {
      commands.at(-1)?.push(token.replace(/"([^"]*)"|'([^']*)'/g, (_, one, two) => one ?? two));
    } else commands.at(-1)?.push(token);
  }
  return commands.filter((words) => words.length > 0);
}

/** What follows `predict` or `./predict` in a command; null for a command without it. */
export function predictWords(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex((word) => word === 'predict' || word === './predict');
  return at < 0 ? null : words.slice(at + 1);
}
