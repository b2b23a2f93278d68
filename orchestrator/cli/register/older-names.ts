import { schedulerSchema } from '../../../inventory/inventory-schema.ts';

interface OlderName {
  readonly now: readonly string[];
  /** Flags that the older command had to be given. */
  readonly needs?: readonly string[];
}

/** Older names of what other commands do: they work, with the JSON that they always had, and no help lists them. */
const OLDER_NAMES: Readonly<Record<string, OlderName>> = {
  fit: { now: ['model', '--view', 'fit'] },
  project: { now: ['model', '--view', 'project'], needs: ['--nodes'] },
  plan: { now: ['model', '--view', 'plan'], needs: ['--nodes'] },
  advise: { now: ['model'], needs: ['--target', '--budget'] },
  grade10: { now: ['why --method grade10'] },
  'critical-path': { now: ['why --method path'] },
  'profiles scaling': { now: ['why --method stacks'] },
  dag: { now: ['why --method jobs'] },
  'dag watch': { now: ['watch'] },
  'profiles import': { now: ['import'], needs: ['--into'] },
  'profiles list': { now: ['profiles', 'query'] },
  'profiles where': { now: ['profiles', 'top'], needs: ['--function'] },
  'parse graph500': { now: ['import', '--format', 'graph500'] },
  'harness read': { now: ['import', '--format', 'graphalytics'] },
  'graph reference': { now: ['graph', 'check', '--outputs'] },
  'graph validate': { now: ['graph', 'check'], needs: ['--reference', '--algorithm'] },
  'graph driver': { now: ['export', '--format', 'graphalytics-driver'], needs: ['--out'] },
  'inventory sudoers': { now: ['inventory', 'init', '--sudoers'] },
  'campaign check': { now: ['status', '--verify'] },
};

/** The methods of `why`, each with help and flags of its own: a command whose name is these words. */
export const METHODS = ['grade10', 'path', 'stacks', 'jobs'] as const;

/** What commander is to read of the words of a command line, and what an older command must be given. */
export interface CurrentWords {
  readonly words: readonly string[];
  readonly older?: { readonly name: string; readonly needs: readonly string[] };
}

export function currentWords(words: readonly string[]): CurrentWords {
  const from = words.findIndex((word) => !word.startsWith('-') && word !== 'help');
  if (from < 0) return { words };
  const [before, asked] = [words.slice(0, from), [...joinRequest(words.slice(from))]];
  const [one = '', two = ''] = asked;
  const name = [`${one} ${two}`, one].find((each) => Object.hasOwn(OLDER_NAMES, each));
  const older = name === undefined ? undefined : OLDER_NAMES[name];
  if (name === undefined || older === undefined) return { words: [...before, ...withMethod(asked)] };
  const rest = asked.slice(name.split(' ').length);
  return { words: [...before, ...older.now, ...rest], older: { name, needs: older.needs ?? [] } };
}

/** `why DIR --method path --by host` -> the command `why --method path`, then its own words. */
function withMethod(words: readonly string[]): readonly string[] {
  if (words[0] !== 'why') return words;
  const at = words.findIndex((word) => word === '--method' || word.startsWith('--method='));
  const isJoined = words[at]?.includes('=') === true;
  const method = isJoined ? words[at]?.slice('--method='.length) : words[at + 1];
  if (at < 0 || METHODS.every((known) => known !== method)) return words;
  return [`why --method ${method}`, ...words.slice(1, at), ...words.slice(at + (isJoined ? 1 : 2))];
}

/** Flags that have a request to a scheduler. */
const REQUESTS: readonly string[] = schedulerSchema.options.map((name) => `--${name}`);

/**
 * A request to a scheduler begins with a dash, which would make it an option of its own: `--slurm '-N 4'` -> `--slurm=-N 4`. All of
 * our own options begin with two dashes, or are `-h`.
 */
export function joinRequest(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1) ?? '';
    if (REQUESTS.includes(last) && isRequest(word)) joined[joined.length - 1] = `${last}=${word}`;
    else joined.push(word.replace(/^--slurm-wait(?==|$)/, '--job-wait'));
  }
  return joined;
}

function isRequest(word: string): boolean {
  return /^-[A-Za-gi-z]/.test(word) || /^-.*\s/.test(word);
}
