import { badInput } from '../base/errors.ts';

/** Values for `%` tokens by letter (ssh_config(5), TOKENS). */
export type SshTokens = Readonly<Record<string, string>>;

/** Replaces %h, %p, ... and %%. A token that has no value here is an error naming the text, as in ssh. */
export function expandTokens(text: string, { tokens, what }: { tokens: SshTokens; what: string }): string {
  return text.replace(/%(.?)/g, (whole, letter: string) => {
    if (letter === '%') return '%';
    const value = Object.hasOwn(tokens, letter) ? tokens[letter] : undefined;
    if (value === undefined) {
      const known = Object.keys(tokens).map((key) => `%${key}`);
      throw badInput(
        `${what} '${text}' contains '${whole}', which has no meaning there: use ${known.join(', ')} or %%.`,
      );
    }
    return value;
  });
}

interface ExpandPathOptions {
  readonly tokens: SshTokens;
  readonly what: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A path as ssh_config allows it: `~/`, `${VARIABLE}` and tokens. */
export function expandPath(text: string, { tokens, what, home, env }: ExpandPathOptions): string {
  const withHome = text === '~' || text.startsWith('~/') ? home + text.slice(1) : text;
  const withVariables = withHome.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined)
      throw badInput(`${what} '${text}' uses the environment variable ${name}, which is not set.`);
    return value.replaceAll('%', '%%');
  });
  return expandTokens(withVariables, { tokens, what });
}
