import type { Command } from 'commander';
import { HELP } from './help.ts';
import { note, print, printJson, table } from './print.ts';

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('the main job from start to end on an emulated cluster inside this machine (about 5 minutes)')
    .option('--out <dir>', 'campaign folder, made anew', 'predict-demo')
    .option('--json', HELP.json)
    .addHelpText('after', '\nExample:\n  predict demo')
    .action(demo);
}

async function demo({ out, json }: { out: string; json?: boolean }): Promise<void> {
  const started = performance.now();
  const { existsSync } = await import('node:fs');
  const { resolve } = await import('node:path');
  const { badInput, formatSeconds, PredictError } = await import('../../base/index.ts');
  if (existsSync(resolve(out, 'campaign.json'))) {
    throw badInput(`${resolve(out)} holds a campaign already: choose another folder with --out, or remove it.`);
  }
  if (process.getuid?.() !== 0) {
    throw new PredictError(
      'The demo makes network namespaces and control groups, which only root may: run it as root.',
      {
        kind: 'infrastructure',
      },
    );
  }
  const { setUp } = await import('../setup/set-up.ts');
  const { programs } = await setUp(note);
  const { labSpec } = await import('../../inventory/lab/index.ts');
  const { DEMO, runDemo } = await import('../demo.ts');
  const { createProgress } = await import('./progress.ts');
  const { interruptible } = await import('./interrupt.ts');
  const spec = labSpec({
    name: 'demo',
    hosts: Math.max(...DEMO.large),
    cpuPercent: DEMO.cpuPercent,
    linkBps: DEMO.linkBps,
  });
  const result = await interruptible((signal) =>
    runDemo({ spec, programs, out: resolve(out), signal, progress: createProgress, say: note }),
  );
  if (json) return printJson({ ...result, seconds: Math.round((performance.now() - started) / 1000) });
  const right = 'right' as const;
  print(`\nPredicted from ${result.trainedOn.join(' and ')} nodes only, then measured:\n`);
  print(
    table(result.predictions, [
      { title: 'model', value: ({ title }) => title },
      { title: 'nodes', value: ({ nodes }) => String(nodes), align: right },
      { title: 'scale', value: ({ scale }) => String(scale), align: right },
      { title: 'bw %', value: ({ bw }) => String(bw), align: right },
      { title: 'predicted', value: ({ predicted }) => formatSeconds(predicted), align: right },
      {
        title: '90 % interval',
        value: ({ interval: { low, high } }) =>
          `${formatSeconds(low ?? 0)} to ${high === null ? '?' : formatSeconds(high)}`,
      },
      { title: 'measured', value: ({ measured }) => formatSeconds(measured), align: right },
      {
        title: 'error',
        value: ({ errorPercent }) => `${errorPercent > 0 ? '+' : ''}${errorPercent.toFixed(1)} %`,
        align: right,
      },
    ]),
  );
  const errors = Object.entries(result.medianErrorPercent);
  print(`\nMedian error: ${errors.map(([model, error]) => `${model} ${error.toFixed(1)} %`).join(', ')}`);
  print(`Report: ${result.report}`);
  note(`predict: done in ${formatSeconds((performance.now() - started) / 1000)}; nothing of the lab is left.`);
}
