import { existsSync, readdirSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import { PATH_NAME, PATH_NAME_RULE, pathInside } from '../../base/paths.ts';
import { joinWords, shortened } from '../../base/text.ts';
import { readProblem, readRegular } from '../store/regular.ts';
import { ALGORITHMS, type Algorithm, familyOf, referenceName } from './benchmark-terms.ts';
import { type Property, parseProperties } from './graph-properties.ts';

/** What each algorithm is told. Vertices are decimal texts: ids have 63 bits. */
export interface AlgorithmParameters {
  readonly bfs?: { readonly source: string };
  readonly pr?: { readonly dampingFactor: number; readonly iterations: number };
  readonly cdlp?: { readonly iterations: number };
  readonly sssp?: { readonly source: string; readonly weightProperty: string };
}

/** A graph in the layout of Graphalytics, as its properties file describes it; nothing here says that its files keep the rules. */
export interface Dataset {
  readonly name: string;
  readonly folder: string;
  readonly propertiesFile: string;
  readonly vertexFile: string;
  readonly edgeFile: string;
  readonly directed: boolean;
  /** Whether lines of the edge file have a third column. */
  readonly weighted: boolean;
  readonly vertices: number;
  /** Lines of the edge file: an undirected edge counts once. */
  readonly edges: number;
  /** Graphs of one family differ in size only. */
  readonly family: string;
  readonly algorithms: readonly Algorithm[];
  readonly parameters: AlgorithmParameters;
  /** Paths of the reference outputs that are there. */
  readonly references: Readonly<Partial<Record<Algorithm, string>>>;
  readonly warnings: readonly string[];
}

/**
 * Reads a dataset's properties file: its path (with or without `.properties`), or a folder that has one, or one named as the folder.
 * Errors: badInput with file and line. The graph's own files need not be there.
 */
export async function readDataset(path: string): Promise<Dataset> {
  const file = propertiesFileOf(path);
  let text: string;
  try {
    // What is named may be a link; what is found in a folder of others may lead anywhere.
    text = (
      await readRegular(statSync(path, { throwIfNoEntry: false })?.isDirectory() ? file : await realpath(file))
    ).toString('utf8');
  } catch (error) {
    throw badInput(`${file} ${readProblem(error)}.`);
  }
  return datasetOf(parseProperties(text, file), file);
}

/** All datasets of a folder that has several, else as `readDataset`. */
export async function readDatasets(path: string): Promise<readonly Dataset[]> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const all = isFolder ? readdirSync(path).filter((name) => name.endsWith('.properties')) : [];
  if (all.length < 2 || all.includes(`${basename(resolve(path))}.properties`)) return [await readDataset(path)];
  return await Promise.all(all.sort().map((name) => readDataset(resolve(path, name))));
}

function propertiesFileOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return resolve(path);
  if (!found) {
    if (existsSync(`${path}.properties`)) return resolve(`${path}.properties`);
    throw badInput(`There is no dataset ${path}: name its folder or its .properties file.`);
  }
  if (!found.isDirectory())
    throw badInput(`${path} is neither a folder nor a file: name a dataset's .properties file.`);
  const all = readdirSync(path).filter((name) => name.endsWith('.properties'));
  const own = `${basename(resolve(path))}.properties`;
  const chosen = all.includes(own) ? own : all.length === 1 ? all[0] : undefined;
  if (chosen !== undefined) return resolve(path, chosen);
  if (all.length === 0) throw badInput(`${path} contains no dataset: there is no .properties file.`);
  const some = all.sort().slice(0, 3).join(', ');
  throw badInput(
    `${path} holds ${all.length} datasets (${some}${all.length > 3 ? ', ...' : ''}): name one of the files.`,
  );
}

const id = z.string().regex(/^\d{1,19}$/, 'is not a vertex id (a whole number from 0 to 2^63 - 1)');
const count = z
  .string()
  .regex(/^\d{1,15}$/, 'is not a whole number')
  .transform(Number);
const words = z.string().transform((text) => text.split(',').flatMap((word) => word.trim() || []));
const fileName = z.string().min(1, 'names no file');

const SHAPE = {
  'vertex-file': fileName,
  'edge-file': fileName,
  'meta.vertices': count,
  'meta.edges': count,
  directed: z.enum(['true', 'false'], "is neither 'true' nor 'false'").transform((text) => text === 'true'),
  'edge-properties.names': words.optional(),
  'edge-properties.types': words.optional(),
  algorithms: words.pipe(z.array(z.enum(ALGORITHMS, `lists algorithms other than ${ALGORITHMS.join(', ')}`))),
  family: z.string().min(1, 'is empty').optional(),
  'bfs.source-vertex': id.optional(),
  'pr.damping-factor': z
    .string()
    .transform(Number)
    .refine((damping) => damping > 0 && damping < 1, 'is not a number between 0 and 1')
    .optional(),
  'pr.num-iterations': count.optional(),
  'cdlp.max-iterations': count.optional(),
  'sssp.source-vertex': id.optional(),
  'sssp.weight-property': z.string().optional(),
};
const schema = z.object(SHAPE);

type Said = z.infer<typeof schema>;

function datasetOf(properties: ReadonlyMap<string, Property>, file: string): Dataset {
  const name = graphName(properties, file);
  const keyOf = (suffix: string): string => `graph.${name}.${suffix}`;
  const said = parseSaid(properties, { keyOf, file });
  const lists = (algorithm: Algorithm): boolean => said.algorithms.includes(algorithm);
  const weights = said['edge-properties.names'] ?? [];
  if (weights.length > 1) {
    throw badInput(`${file}: edges have ${joinWords(weights)}: only one property per edge can be read.`);
  }
  const weightProperty = said['sssp.weight-property'] ?? weights[0];
  if (lists('sssp') && (weights.length === 0 || weightProperty !== weights[0])) {
    throw badInput(`${file} lists sssp, but ${keyOf('edge-properties.names')} names no weight for it: remove one.`);
  }
  const folder = dirname(file);
  const inside = (path: string): string => {
    const found = pathInside(folder, path);
    if (found !== null) return found;
    throw badInput(
      `${file}: ${shortened(path, 200)} leads out of the dataset's folder (directly or by a symlink): put the file itself there.`,
    );
  };
  const edges = edgeFileOf(name, said);
  return {
    name,
    folder,
    propertiesFile: file,
    vertexFile: inside(said['vertex-file']),
    edgeFile: inside(edges.file),
    directed: said.directed,
    weighted: weights.length === 1,
    vertices: said['meta.vertices'],
    edges: said['meta.edges'],
    family: said.family ?? familyOf(name),
    algorithms: ALGORITHMS.filter(lists),
    parameters: listParameters({ ...said, 'sssp.weight-property': weightProperty }, { keyOf, file }),
    references: Object.fromEntries(
      ALGORITHMS.map((algorithm) => [algorithm, inside(referenceName(name, algorithm))] as const).filter(([, path]) =>
        existsSync(path),
      ),
    ),
    warnings: edges.warnings,
  };
}

function graphName(properties: ReadonlyMap<string, Property>, file: string): string {
  const names = [...properties.keys()].flatMap((key) => /^graph\.(.+)\.vertex-file$/.exec(key)?.[1] ?? []);
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw badInput(`${file} describes ${names.length} graphs: exactly one key graph.NAME.vertex-file is needed.`);
  }
  if (PATH_NAME.test(name)) return name;
  throw badInput(`${file}: '${shortened(name)}' cannot be a graph's name: ${PATH_NAME_RULE}.`);
}

/** For messages: the file, and a property's key in it. */
interface Where {
  readonly file: string;
  readonly keyOf: (suffix: string) => string;
}

function parseSaid(properties: ReadonlyMap<string, Property>, { keyOf, file }: Where): Said {
  const texts = Object.fromEntries(
    Object.keys(SHAPE).flatMap((suffix) => {
      const property = properties.get(keyOf(suffix));
      return property === undefined ? [] : [[suffix, property.value]];
    }),
  );
  const parsed = schema.safeParse(texts);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = keyOf(String(issue?.path[0]));
  const property = properties.get(key);
  if (property === undefined) throw badInput(`${file} has no ${key}: add it.`);
  throw badInput(`${file} line ${property.line}: ${key} = '${shortened(property.value)}' ${issue?.message}.`);
}

/** Parameters of the algorithms that the dataset is for. Errors: `badInput` for one without its own. */
function listParameters(said: Said, { keyOf, file }: Where): Dataset['parameters'] {
  const lists = (algorithm: Algorithm): boolean => said.algorithms.includes(algorithm);
  const need = <Key extends keyof Said>(key: Key): NonNullable<Said[Key]> => {
    const value = said[key];
    if (value !== undefined && value !== null) return value;
    throw badInput(`${file} lists ${key.split('.')[0]} among the algorithms but has no ${keyOf(key)}: add it.`);
  };
  return {
    ...(lists('bfs') && { bfs: { source: need('bfs.source-vertex') } }),
    ...(lists('pr') && {
      pr: { dampingFactor: need('pr.damping-factor'), iterations: need('pr.num-iterations') },
    }),
    ...(lists('cdlp') && { cdlp: { iterations: need('cdlp.max-iterations') } }),
    ...(lists('sssp') && {
      sssp: { source: need('sssp.source-vertex'), weightProperty: need('sssp.weight-property') },
    }),
  };
}

/** Properties of the benchmark's own test graphs name the vertex file where the edge file is meant. */
function edgeFileOf(name: string, said: Said): { readonly file: string; readonly warnings: readonly string[] } {
  const file = said['edge-file'];
  if (file !== said['vertex-file']) return { file, warnings: [] };
  return {
    file: `${name}.e`,
    warnings: [`the properties of ${name} name ${shortened(file)} as the edge file too: ${name}.e is read instead.`],
  };
}
