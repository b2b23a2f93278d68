// Behaves as the Graphalytics harness does to whoever starts it and to its platform's scripts: configuration, order of calls, files,
// words of its logs. It is started in a distribution folder as `node stand-in.mjs --config FOLDER`.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const config = process.argv[process.argv.indexOf('--config') + 1] ?? 'config';

/** Like PropertiesConfiguration of Commons: includes, lists by comma, of a repeated key the first value. */
function load(path, all = new Map()) {
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    const [, key, text] = /^\s*([^#!\s=:][^\s=:]*)\s*[=:]?\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined) continue;
    if (key === 'include') load(join(dirname(path), text), all);
    else if (!all.has(key))
      all.set(
        key,
        text.split(/(?<!\\),/).map((word) => word.trim().replaceAll('\\,', ',')),
      );
  }
  return all;
}

const properties = load(join(config, 'benchmark.properties'));
const list = (key) => {
  const values = properties.get(key);
  if (values === undefined || values[0] === '') {
    throw new Error(`science.atlarge.graphalytics.configuration.InvalidConfigurationException: ${key} is missing`);
  }
  return values;
};
const one = (key) => {
  const [value] = list(key);
  return value.replace(/\$\{([^}]+)\}/g, (_, name) => one(name));
};
for (const key of ['benchmark.executor.port', 'benchmark.runner.port', 'graphs.output-directory']) one(key);

const root = one('graphs.root-directory');
const validation = properties.has('graphs.validation-directory') ? one('graphs.validation-directory') : root;
const timeoutS = Number(one('benchmark.custom.timeout'));
const [validate, wantsOutput] = ['validation', 'output'].map(
  (what) => one(`benchmark.custom.${what}-required`) === 'true',
);
const repetitions = Number(one('benchmark.custom.repetitions'));
const report = `report/${process.pid}-STANDIN-report-CUSTOM`;
mkdirSync(`${report}/json`, { recursive: true });
mkdirSync(`${report}/log`, { recursive: true });

function log(level, text) {
  const line = `13:48 [${level.padEnd(5)}] ${text}\n`;
  process.stdout.write(line);
  appendFileSync(`${report}/log/benchmark-summary.log`, line);
}

let numbers = 100_000;
const idOf = (letter) => {
  numbers += 7;
  return `${letter}${numbers}`;
};
const seconds = (from) => (Math.ceil(performance.now() - from) / 1000).toFixed(3);
const NAN = { load_time: 'nan', makespan: 'nan', processing_time: 'nan' };

const graphs = list('graphs.names').filter((name) => ['v', 'e'].every((end) => existsSync(`${root}/${name}.${end}`)));
const lost = list('graphs.names').filter((name) => !graphs.includes(name));
if (lost.length > 0) log('INFO', `Failed to import ${lost.length} graph(s): [${lost.join(', ')}].`);
const jobs = [];
const runs = {};
for (const algorithm of list('benchmark.custom.algorithms')) {
  if (!['BFS', 'PR', 'WCC', 'CDLP', 'LCC', 'SSSP'].includes(algorithm)) {
    log('WARN', `Found unknown algorithm name "${algorithm}" in property "benchmark.custom.algorithms".`);
    continue;
  }
  for (const graph of list('benchmark.custom.graphs')) {
    if (!graphs.includes(graph)) {
      log('WARN', `Found unknown graph name "${graph}" in property "benchmark.custom.graphs".`);
      continue;
    }
    if (!list(`graph.${graph}.algorithms`).includes(algorithm.toLowerCase())) {
      log(
        'ERROR',
        `Skipping benchmark ${algorithm} on ${graph}: algorithm ${algorithm} cannot run on dataset ${graph}.`,
      );
      continue;
    }
    jobs.push({ id: idOf('j'), algorithm, graph, runs: Array.from({ length: repetitions }, () => idOf('r')) });
  }
}
const total = jobs.length * repetitions;
log('INFO', `Executing a CUSTOM Benchmark on STANDIN [1 experiments, ${jobs.length} jobs, ${total} runs]:`);

const DESCRIPTIONS = { BFS: 'src=1', SSSP: 'src=1', PR: 'damp=0.85, iter=2', CDLP: 'iter=2', WCC: '', LCC: '' };
const sentences = [];
for (const job of jobs) await doJob(job);
log('INFO', 'Reporting benchmark summary:');
for (const sentence of sentences) log('INFO', sentence);
const succeeded = Object.values(runs).filter(({ success }) => success === 'true').length;
log('INFO', `In total, [${succeeded} / ${total}] benchmark(s) succeed.`);
writeFileSync(`${report}/json/results.json`, JSON.stringify(results(), null, 2));
log('INFO', 'Benchmark ended: 2026/November/21 13:48:40 UTC.');
log('INFO', 'Terminating Benchmark Suite.');

async function doJob({ algorithm, graph, runs: ids }) {
  const weighted = algorithm === 'SSSP';
  const name = weighted ? `${graph}.e_weight` : graph;
  const isWeighted = properties.has(`graph.${graph}.edge-properties.names`);
  let edges = `${root}/${graph}.e`;
  if (!weighted && isWeighted) {
    edges = `${root}/cache/${graph}.e`;
    mkdirSync(dirname(edges), { recursive: true });
    const rows = readFileSync(`${root}/${graph}.e`, 'utf8').trim().split(/\r?\n/);
    writeFileSync(edges, rows.map((row) => `${row.split(' ').slice(0, 2).join(' ')}\n`).join(''));
  }
  const directed = one(`graph.${graph}.directed`);
  const loaded = resolve('intermediate', name);
  log('INFO', `----------------- Loading graph ""${graph}:${name}"" -----------------`);
  const began = performance.now();
  const load = script('load-graph.sh', [
    ...['--graph-name', name, '--input-vertex-path', `${root}/${graph}.v`, '--input-edge-path', edges],
    ...['--output-path', loaded, '--directed', directed, '--weighted', String(weighted)],
  ]);
  const loadTime = seconds(began);
  const isLoaded = load.status === 0;
  if (!isLoaded) {
    log('ERROR', `Failed to load graph ""${graph}:${name}"".`);
    const exception = 'science.atlarge.graphalytics.execution.PlatformExecutionException';
    const line = `${exception}: load-graph.sh ended with status ${load.status}\n`;
    process.stdout.write(line);
    appendFileSync(`${report}/log/benchmark-summary.log`, line);
  }
  for (const id of ids) {
    const outcome = isLoaded
      ? { load_time: loadTime, ...(await doRun({ id, algorithm, graph, directed, loaded })) }
      : { codes: ['DAT'] };
    const { codes, ...times } = { ...NAN, ...outcome };
    const success = codes.length === 0;
    const said = success ? 'succeeded' : `failed ([${codes.join(', ')}])`;
    const told = `T_l=${times.load_time}, T_m=${times.makespan}, T_p=${times.processing_time}.`;
    log('INFO', `Benchmark ${id} has ${said}, ${told}`);
    sentences.push(`${specification(id, algorithm, graph)} => ${success ? 'succeed' : said}, ${told}`);
    runs[id] = { id, timestamp: String(Date.now()), success: String(success), ...times };
  }
  if (!isLoaded) return;
  const unload = script('unload-graph.sh', ['--graph-name', name, '--output-path', loaded]);
  if (unload.status !== 0) throw new Error('science.atlarge.graphalytics.X: Fatal error: the benchmark is aborted.');
}

function specification(id, algorithm, graph) {
  return `[BenchmarkRun [${id}, ${algorithm}[${DESCRIPTIONS[algorithm]}], ${graph}, timeout=${timeoutS}s]]`;
}

async function doRun({ id, algorithm, graph, directed, loaded }) {
  const run = `${id}-${algorithm}-${graph}`;
  const folder = resolve(report, 'log', run, 'platform');
  const output = resolve(one('graphs.output-directory'), run);
  mkdirSync(folder, { recursive: true });
  if (wantsOutput) mkdirSync(output, { recursive: true });
  log('INFO', `============= Start of benchmark ${id} [1/${total}] =============`);
  log('INFO', `Benchmark specification: ${specification(id, algorithm, graph)}`);
  const given = (key) => one(`graph.${graph}.${algorithm.toLowerCase()}.${key}`);
  const parameters = {
    BFS: () => ['--source-vertex', given('source-vertex')],
    SSSP: () => ['--source-vertex', given('source-vertex')],
    CDLP: () => ['--max-iteration', given('max-iterations')],
    PR: () => ['--damping-factor', given('damping-factor'), '--max-iteration', given('num-iterations')],
  }[algorithm];
  const began = performance.now();
  const status = await execute({
    timeoutMs: timeoutS * 1000,
    folder,
    args: [
      ...['--job-id', id, '--log-path', folder, '--directed', directed, '--algorithm', algorithm.toLowerCase()],
      ...(parameters?.() ?? []),
      ...['--input-dir', loaded, '--output-file', `${output}/${run}`, '--num-threads', '1'],
    ],
  });
  const makespan = seconds(began);
  if (status === 'timeout') {
    log('ERROR', `Timeout is reached after ${timeoutS} seconds. This benchmark run is forcibly terminated.`);
    return { codes: ['TIM', 'MET'] };
  }
  if (status !== 0) {
    log('ERROR', `[Runner ${id}] => 13:48 [ERROR] Algorithm "${algorithm}" on graph "${graph} failed to complete:`);
    log('ERROR', 'A benchmark failure (EXE) is caught by the runner.');
    return { codes: ['EXE', 'MET'] };
  }
  const problem = validate ? compare(output, `${validation}/${graph}-${algorithm}`, algorithm) : null;
  if (problem !== null) {
    log('ERROR', `[Runner ${id}] => 13:48 [ERROR] ${problem}`);
    log('ERROR', 'A benchmark failure (VAL) is caught by the runner.');
    return { codes: ['VAL', 'MET'] };
  }
  const processing = processingTime(folder);
  return processing === null ? { codes: ['MET'] } : { codes: [], makespan, processing_time: processing };
}

function script(name, args) {
  return spawnSync(`bin/sh/${name}`, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** The script's input is closed; on a timeout the one process of executable.pid is killed and no other. */
function execute({ args, folder, timeoutMs }) {
  return new Promise((done) => {
    const job = spawn('bin/sh/execute-job.sh', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    job.stdin.end();
    for (const stream of [job.stdout, job.stderr]) {
      stream.on('data', (text) => appendFileSync(`${folder}/runner.logs`, text));
    }
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      process.kill(Number(readFileSync(`${folder}/executable.pid`, 'utf8')), 'SIGKILL');
    }, timeoutMs);
    job.on('close', (status) => {
      clearTimeout(timer);
      done(late ? 'timeout' : (status ?? 137));
    });
  });
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesBelow(join(path, name))) : [path];
}

function rows(path) {
  const lines = filesBelow(path).flatMap((file) => readFileSync(file, 'utf8').split(/\r?\n/));
  return new Map(lines.filter((line) => line !== '').map((line) => line.split(' ')));
}

/** What is wrong with an output; null for nothing. */
function compare(output, reference, algorithm) {
  const [actual, expected] = [rows(output), rows(reference)];
  if (expected.size === 0)
    return 'Failed to validate output: science.atlarge.graphalytics.validation.ValidatorException';
  if (actual.size !== expected.size) {
    return `Vertex count is incorrect, expected: ${expected.size}, actual: ${actual.size}`;
  }
  const [there, back] = [new Map(), new Map()];
  for (const [vertex, wanted] of expected) {
    const found = actual.get(vertex);
    const bad = `Validation failed for ${vertex}: expected: ${wanted}, actual: ${found}`;
    if (found === undefined) return bad;
    if (algorithm === 'WCC') {
      if ((there.get(wanted) ?? found) !== found || (back.get(found) ?? wanted) !== wanted) return bad;
      there.set(wanted, found);
      back.set(found, wanted);
    } else if (algorithm === 'BFS' || algorithm === 'CDLP') {
      if (found !== wanted) return bad;
    } else {
      const [e, a] = [wanted, found].map((text) => Number(text.replace(/^[+]?inf(inity)?$/i, 'Infinity')));
      if (e !== a && !(Math.abs(e - a) <= 0.0001 * e)) return bad;
    }
  }
  return null;
}

/** Seconds between the last two lines in any file of a run's log, as a text. */
function processingTime(folder) {
  const text = filesBelow(folder)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const [start, end] = ['starts', 'ends'].map(
    (word) => [...text.matchAll(new RegExp(`Processing ${word} at:?\\s+(\\d+)`, 'g'))].at(-1)?.[1],
  );
  return start === undefined || end === undefined ? null : ((Number(end) - Number(start)) / 1000).toFixed(3);
}

function results() {
  const words = (key) => properties.get(key)?.[0] ?? '';
  return {
    ...{ id: idOf('b'), specification: '1.0.0', description: words('benchmark.description') },
    system: {
      platform: {
        name: words('platform.name'),
        acronym: words('platform.acronym'),
        version: words('platform.version'),
      },
      environment: {
        name: words('environment.name'),
        machines: [{ quantity: words('environment.machine.quantity') }],
      },
    },
    benchmark: {
      type: 'custom',
      timeout: String(timeoutS),
      configurations: Object.fromEntries([...properties].map(([key, values]) => [key, values[0]])),
    },
    result: {
      experiments: { e1: { id: 'e1', type: 'custom:exp', jobs: jobs.map(({ id }) => id) } },
      jobs: Object.fromEntries(
        jobs.map(({ id, algorithm, graph, runs: ids }) => [
          id,
          { id, algorithm, dataset: graph, scale: '1', repetition: String(repetitions), runs: ids },
        ]),
      ),
      runs,
    },
  };
}
