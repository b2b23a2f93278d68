import { infrastructure } from '../../base/errors.ts';
import type { InstalledAgent } from './installed-agent.ts';
import type { Account } from './work-folder.ts';

/**
 * Lines for /etc/sudoers.d that let the ssh user run exactly what predict runs as root, sudoers(5). `source` is the agent in
 * the user's work folder.
 */
export function sudoersText(
  { user }: Pick<Account, 'user'>,
  { source, agent: { path, sha256 } }: { readonly source: string; readonly agent: InstalledAgent },
): string {
  return [
    `# What predict runs as root for ${user}, and nothing else: into /etc/sudoers.d/predict (mode 0440) of each host.`,
    '# Each version of the agent has a path of its own: print this anew after an update.',
    '#',
    `# Puts the agent where root alone can change it, if its content is the one named. ${user} could exchange the file in the`,
    '# moment between the check and the start: if that matters, let root run the command once and leave these two lines out.',
    `Cmnd_Alias PREDICT_INSTALL = sha256:${sha256} ${literal(source)} install`,
    `${literal(user)} ALL=(root) NOPASSWD: PREDICT_INSTALL`,
    '# Throttles the data link under a lease, shows it, restores it.',
    `Cmnd_Alias PREDICT_LINK = ${literal(path)} link *`,
    `${literal(user)} ALL=(root) NOPASSWD: PREDICT_LINK`,
    '# Holds the lock that keeps two controllers from using a host at once.',
    `Cmnd_Alias PREDICT_HOLD = ${literal(path)} hold *`,
    `${literal(user)} ALL=(root) NOPASSWD: PREDICT_HOLD`,
    "# Ends all that a run has started here, in a control group of the run's own.",
    `Cmnd_Alias PREDICT_GROUP = ${literal(path)} group *`,
    `${literal(user)} ALL=(root) NOPASSWD: PREDICT_GROUP`,
    '',
  ].join('\n');
}

/** A name or path without a meaning of its own in sudoers; `infrastructure` where sudoers cannot say it. */
function literal(word: string): string {
  const known = word.startsWith('/') ? /^[A-Za-z0-9._/@+~ ,:=#-]+$/ : /^[A-Za-z0-9._@\\-]+$/;
  if (!known.test(word)) {
    throw infrastructure(
      `sudo's rules cannot name ${word}: set work.folder in the inventory to a path of letters, digits, dots and dashes.`,
    );
  }
  return word.replace(/[ ,:=#\\]/g, String.raw`\$&`);
}
