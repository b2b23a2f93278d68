/** The kinds of machine that the agent is made for, as `uname -m` calls them. */
export const MACHINES = ['x86_64', 'aarch64'] as const;
export type Machine = (typeof MACHINES)[number];

/** By any of its names, such as those of `uname -m` and of Node; undefined for one that the agent is not made for. */
export function machineOf(name: string): Machine | undefined {
  switch (name) {
    case 'x86_64':
    case 'amd64':
    case 'x64':
      return 'x86_64';
    case 'aarch64':
    case 'arm64':
      return 'aarch64';
    default:
      return undefined;
  }
}
