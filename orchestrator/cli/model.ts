import type { Command } from 'commander';
import type { Fit } from '../../modeling/index.ts';
import { HELP } from './help.ts';
import type { SourceFlags } from './model-source.ts';
import { print, printJson, table } from './print.ts';

const MODELS = 'eq2, eq3, eq5, eq6, eq7 or volume';

export function registerFit(program: Command): void {
  withSource(program.command('fit'))
    .description('fit a scaling model to a campaign or a CSV file')
    .addHelpText(
      'after',
      '\nExamples:\n  predict fit campaigns/first --model eq7\n  predict fit --data runs.csv --model eq6 --ranks-per-node 18 --base-scale 25 --json',
    )
    .action(fit);
}

export function registerProject(program: Command): void {
  withSource(program.command('project'))
    .description('project completion time and GTEPS to other node counts, bandwidths and scales')
    .requiredOption('--nodes <range>', 'node counts: 64,100; of a range 36..400 the admissible ones')
    .addHelpText(
      'after',
      '\nExamples:\n  predict project campaigns/first --nodes 36..400 --bw 20,100\n  predict project --data runs.csv --model eq7 --ranks-per-node 18 --nodes 64,100 --bw 20,100 --scale 28 --json',
    )
    .action(project);
}

function withSource(command: Command): Command {
  return command
    .argument('[dir]', 'campaign folder')
    .option('--data <file.csv>', 'rows from a CSV file instead: columns scale,n,bw,rep,ct')
    .option('--model <name>', `${MODELS}; by default the one that uses all that varies in the rows`)
    .option('--ranks-per-node <n>', "MPI ranks per node; the campaign's own by default")
    .option('--base-scale <s>', 'D = 2^(scale - s); one below the smallest scale by default')
    .option('--scale <range>', 'fit: only rows of this scale; project: the scales to project to')
    .option('--bw <range>', 'fit: only rows of this bandwidth; project: the bandwidths to project to')
    .option('--at-nodes <n>', 'only rows of this node count (eq5)')
    .option('--train-nodes <range>', 'fit to the rows of these node counts only')
    .option('--ranks-rule <rule>', 'admissible rank counts: any, square, two-squares, power-of-two')
    .option('--json', HELP.json);
}

async function fit(dir: string | undefined, flags: SourceFlags): Promise<void> {
  const { openSource, selectRows } = await import('./model-source.ts');
  const { fit: fitModel, models, validate } = await import('../../modeling/index.ts');
  const source = await openSource(dir, flags);
  const { model, options } = selectRows(source, flags);
  const result = fitModel(model, source.rows, options);
  if (flags.json) return printJson(result);
  const { trimNumber } = await import('../../base/index.ts');
  const { score } = validate(model, source.rows, options);
  print(models[model].title);
  print(models[model].formula);
  print(coefficientLine(result));
  print(`R2 ${result.r2.toFixed(4)}, MSE ${trimNumber(result.mse)} s², ${result.rows} rows`);
  print(`held-out fifths: R2 ${score.r2.toFixed(4)}, median error ${score.medianErrorPercent.toFixed(1)} %`);
  if (result.alphaAtBound) print(`Careful: alpha stopped at its ${result.alphaAtBound} bound, it is no estimate.`);
  const left = source.leaveLargest(model, options);
  if (left) {
    print(
      `largest node count left out (${left.heldOutNodes.join(', ')}): median error ${left.medianErrorPercent.toFixed(1)} %`,
    );
  }
}

function coefficientLine({ coefficients, alpha, ranksPerNode, baseScale }: Fit): string {
  const parts = Object.entries(coefficients).map(([name, value]) => `${name} = ${value.toPrecision(6)}`);
  if (alpha !== null) parts.push(`alpha = ${alpha.toPrecision(6)}`);
  return `${parts.join(', ')} (x = ${ranksPerNode} n, D = 2^(scale - ${baseScale}))`;
}

async function project(dir: string | undefined, flags: SourceFlags & { nodes: string }): Promise<void> {
  const { openSource, projectionTargets, selectRows } = await import('./model-source.ts');
  const { dominance, fit: fitModel, models, project: projectFit } = await import('../../modeling/index.ts');
  const { formatSeconds } = await import('../../base/index.ts');
  const source = await openSource(dir, flags);
  const { model, options } = selectRows(source, flags, { projecting: true });
  const fitted = fitModel(model, source.rows, options);
  const targets = projectionTargets(fitted, flags, source.isAdmissible);
  const projections = projectFit(fitted, targets);
  const splits = models[model].terms.length > 1;
  const crossovers = splits
    ? dominance(fitted, { bw: targets.bw, isAdmissible: source.isAdmissible, scale: targets.scales[0] ?? 0 })
    : [];
  if (flags.json) return printJson({ model, projections, dominance: crossovers });
  const right = 'right' as const;
  print(`${models[model].title}: ${coefficientLine(fitted)}`);
  print(
    table(projections, [
      { title: 'scale', value: ({ scale }) => String(scale), align: right },
      { title: 'nodes', value: ({ nodes }) => String(nodes), align: right },
      { title: 'bw %', value: ({ bw }) => String(bw), align: right },
      { title: 'CT', value: ({ ct }) => formatSeconds(ct), align: right },
      { title: 'GTEPS', value: ({ gteps }) => gteps.toPrecision(3), align: right },
    ]),
  );
  for (const { bw, nodes, admissibleNodes } of crossovers) {
    const where =
      nodes === null
        ? 'nowhere'
        : nodes === 1
          ? 'from the first node on'
          : `from ${nodes.toFixed(1)} nodes on${admissibleNodes === null ? '' : ` (admissible: ${admissibleNodes})`}`;
    print(`At ${bw} % communication dominates ${where}.`);
  }
}
