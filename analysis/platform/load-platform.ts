import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { badInput, messageOf, PredictError } from '../../base/errors.ts';
import { projectRoot } from '../../base/paths.ts';
import { parseYaml } from '../../base/yaml/parse-yaml.ts';
import type { BottleneckPredicate } from '../grade10/bottlenecks/composites.ts';
import { type IssueRule, issueFinder } from '../grade10/issues/issue-rule.ts';
import { findFaults } from './check-platform.ts';
import { createPlatform, type Extensions, type Platform } from './platform.ts';
import { type PlatformFile, platformFileSchema } from './platform-schema.ts';

const NO_EXTENSIONS: Extensions = { predicates: [], issues: [] };

/**
 * A shipped model by its name, or a YAML file (docs/methods.md). Errors: badInput with a line per fault: file, line, key
 * and what is wrong.
 */
export async function loadPlatform(nameOrFile: string): Promise<Platform> {
  const { file, extensions } = await read(nameOrFile, []);
  return createPlatform(file, extensions);
}

/** Names of the shipped models. */
export async function shippedPlatforms(): Promise<readonly string[]> {
  const files = await readdir(shippedFolder());
  return files.flatMap((name) => (name.endsWith('.yaml') ? [name.slice(0, -'.yaml'.length)] : [])).sort();
}

async function read(
  nameOrFile: string,
  above: readonly string[],
): Promise<{ readonly file: PlatformFile; readonly extensions: Extensions }> {
  const extending = above.at(-1);
  const path = await resolvePath(nameOrFile, extending === undefined ? '.' : dirname(extending));
  if (above.includes(path)) throw badInput(`${path} extends itself through ${above.join(', ')}: remove one 'extends'.`);
  const text = await readFile(path, 'utf8').catch(async (error: unknown) => {
    const given = extending === undefined ? `'${nameOrFile}'` : `'${nameOrFile}' that ${extending} extends`;
    const help = `name a YAML file, or one of ${(await shippedPlatforms()).join(', ')}`;
    throw badInput(`The model ${given} cannot be read (${messageOf(error)}): ${help}.`, error);
  });
  const source = { path, schema: platformFileSchema, verbatim: [['places']] };
  const { extends: base } = parseYaml(text, source);
  const below = base === undefined ? null : await read(base, [...above, path]);
  const merge = (own: PlatformFile): PlatformFile => (below === null ? own : merged(below.file, own));
  const own = parseYaml(text, { ...source, check: (file) => check(merge(file), path) });
  const extensions = own.module === undefined ? NO_EXTENSIONS : await extensionsOf(resolve(dirname(path), own.module));
  return {
    file: merge(own),
    extensions: {
      predicates: [...(below?.extensions.predicates ?? []), ...extensions.predicates],
      issues: [...(below?.extensions.issues ?? []), ...extensions.issues],
    },
  };
}

function check(file: PlatformFile, path: string): ReturnType<typeof findFaults> {
  try {
    return findFaults(file, createPlatform(file, NO_EXTENSIONS));
  } catch (error) {
    if (error instanceof PredictError) throw badInput(`${path}: ${error.message}`, error);
    throw error;
  }
}

/** The own file's keys replace those of the one that it extends; rules, mapping and places are merged entry by entry. */
function merged(base: PlatformFile, own: PlatformFile): PlatformFile {
  const rules = { ...base.rules };
  for (const [type, given] of Object.entries(own.rules ?? {})) rules[type] = { ...rules[type], ...given };
  return {
    ...base,
    ...own,
    ...(base.rules || own.rules ? { rules } : {}),
    mapping: { ...base.mapping, ...own.mapping },
    places: { ...base.places, ...own.places },
  };
}

/** The file of a shipped model, or the path itself as seen from a folder. */
async function resolvePath(nameOrFile: string, folder: string): Promise<string> {
  const shipped = (await shippedPlatforms()).includes(nameOrFile);
  return shipped ? join(shippedFolder(), `${nameOrFile}.yaml`) : resolve(folder, nameOrFile);
}

function shippedFolder(): string {
  return join(projectRoot(), 'analysis/platform/shipped');
}

const callable = z.custom<(...values: never[]) => unknown>((value) => typeof value === 'function', 'give a function');
const name = z.string().min(1);

const moduleSchema = z.object({
  predicates: z
    .array(
      z.union([
        z.object({ kind: z.literal('count'), name, per: z.enum(['phase', 'type']), holds: callable }),
        z.object({ kind: z.literal('subphases'), name, holds: callable }),
      ]),
    )
    .default([]),
  /** The three functions of algorithm 3. */
  issues: z.array(z.object({ analyseLeaf: callable, analyseComposite: callable, extractIssues: callable })).default([]),
});

/**
 * Predicates and issue rules from a module of the user's: exports `predicates` (BottleneckPredicate) and `issues`
 * (IssueRule). It is code and runs with the user's rights. Errors: badInput naming the file and the export.
 */
async function extensionsOf(path: string): Promise<Extensions> {
  let exported: unknown;
  try {
    exported = { ...(await import(pathToFileURL(path).href)) };
  } catch (error) {
    throw badInput(`The module ${path} cannot be loaded: ${messageOf(error)}.`, error);
  }
  const parsed = moduleSchema.safeParse(exported);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(`The module ${path} exports an invalid ${issue?.path.join('.')}: ${issue?.message}.`, parsed.error);
  }
  return {
    predicates: parsed.data.predicates as unknown as readonly BottleneckPredicate[],
    issues: (parsed.data.issues as unknown as readonly IssueRule<unknown>[]).map(issueFinder),
  };
}
