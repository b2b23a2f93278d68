import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { compareText } from '../../../base/text.ts';

/** A real graph of this machine: which Debian package needs which other. */
export interface DebianGraph {
  /** Package n of the edges is `names[n - 1]`: names in order. */
  readonly names: readonly string[];
  readonly edges: readonly (readonly [number, number])[];
}

/**
 * The installed packages, and all that can be installed where the machine has apt's lists. An edge leads from a package to each one
 * that its Depends or Pre-Depends names, alternatives too.
 */
export async function debianGraph({ lists }: { readonly lists: boolean }): Promise<DebianGraph> {
  const available = lists ? await execa('apt-cache', ['dumpavail'], { reject: false, maxBuffer: 1e9 }) : null;
  const texts = [readFileSync('/var/lib/dpkg/status', 'utf8'), available?.failed === false ? available.stdout : ''];
  const needs = new Map<string, Set<string>>();
  for (const record of texts.flatMap((text) => text.split('\n\n'))) {
    const [, name] = /^Package: (\S+)/m.exec(record) ?? [];
    if (name === undefined) continue;
    const needed = needs.get(name) ?? new Set();
    needs.set(name, needed);
    for (const [, list = ''] of record.matchAll(/^(?:Pre-)?Depends: (.*)$/gm)) {
      // `libc6 (>= 2.36), perl:any | perl6` -> libc6, perl, perl6
      for (const [, other = ''] of list.matchAll(/(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]*)/g)) needed.add(other);
    }
  }
  const names = [...new Set([...needs.keys(), ...[...needs.values()].flatMap((one) => [...one])])].sort(compareText);
  const number = new Map(names.map((name, index) => [name, index + 1]));
  const edges = [...needs].flatMap(([name, needed]) =>
    [...needed].map((other) => [number.get(name) ?? 0, number.get(other) ?? 0] as const),
  );
  return { names, edges };
}

/** The graph as an edge list of the SNAP kind. */
export function asEdgeList({ edges }: DebianGraph): string {
  return `# Directed graph: Debian's packages and what they depend on\n${edges.map(([a, b]) => `${a}\t${b}\n`).join('')}`;
}
