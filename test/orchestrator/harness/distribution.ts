import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../../base/paths.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { writeDriver } from '../../../orchestrator/driver/write-driver.ts';

const EXAMPLE = join(projectRoot(), 'test/fixtures/graphalytics/example');

/** This machine as the one host of a cluster, with two ranks. */
export const HERE = parseInventory(
  'cluster: here\nhosts: [localhost]\nnetwork: {cidr: 127.0.0.0/8}\nlineRate: 1gbit\nranksPerNode: 2\nmpi: {args: [--oversubscribe]}\n',
  '/here/inventory.yaml',
);

/** A distribution folder as the harness's own are laid out, with our driver, and a folder of the example graphs. */
export async function makeDistribution(
  folder: string,
  programs: readonly string[],
): Promise<{ readonly distribution: string; readonly graphs: string }> {
  const [distribution, graphs] = [join(folder, 'dist'), join(folder, 'graphs')];
  cpSync(EXAMPLE, graphs, { recursive: true });
  await writeDriver(distribution, { inventory: HERE, programs });
  mkdirSync(join(distribution, 'lib'));
  writeFileSync(join(distribution, 'lib/graphalytics-platforms-predict-1-default.jar'), '');
  const script = join(distribution, 'bin/sh/run-benchmark.sh');
  const standIn = join(projectRoot(), 'test/orchestrator/harness/stand-in.mjs');
  writeFileSync(
    script,
    `#!/bin/bash\nset -e\n[ "$1" = --config ]\nexport config=$2\n. bin/sh/prepare-benchmark.sh "$@"\n[ -n "$LIBRARY_JAR" ]\nexec node '${standIn}' --config "$config"\n`,
  );
  chmodSync(script, 0o755);
  return { distribution, graphs };
}

/** Replaces the kernels of a driver by a shell script. */
export function replaceKernel(distribution: string, script: string): void {
  const path = join(distribution, 'bin/exe/predict-graphalytics');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Ids of the processes whose command line holds a text, but for this one's. */
export async function processesOf(text: string): Promise<readonly string[]> {
  const { stdout } = await execa('pgrep', ['-f', '--', text], { reject: false });
  return stdout.split('\n').filter((id) => id !== '');
}
