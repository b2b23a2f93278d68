/** The words of a command as a POSIX shell splits it, with single and double quotes; operators are words of their own. */
export function words(command: string): string[] {
  const found: string[] = [];
  for (const [word] of command.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;&|])+|&&|\|\||[;&|]/g)) {
    found.push(word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped));
  }
  return found;
}

/** The word behind an option. */
export function option(list: readonly string[], name: string): string | undefined {
  const index = list.indexOf(name);
  return index < 0 ? undefined : list[index + 1];
}
