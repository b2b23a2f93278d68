import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';

/** Rooms of the product, each after those that it may import. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  throttle: ['base'],
  agents: ['base'],
  inventory: ['base', 'throttle'],
  experiments: ['base', 'throttle', 'inventory'],
  modeling: ['base', 'experiments'],
  analysis: ['base', 'experiments', 'modeling'],
  report: ['base', 'experiments', 'modeling', 'analysis'],
  orchestrator: ['base', 'throttle', 'agents', 'inventory', 'experiments', 'modeling', 'analysis', 'report'],
};

export const ROOMS: readonly string[] = Object.keys(LAYERS);

/** TypeScript files below some folders of the project, by path from its root. */
export function sourcesBelow(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(projectRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

export const readSource = (file: string): string => readFileSync(join(projectRoot(), file), 'utf8');
