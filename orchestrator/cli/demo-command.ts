import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { formatSeconds } from '../../base/units.ts';
import { labSpec } from '../../inventory/lab/spec.ts';
import { DEMO, runDemo } from '../run-demo.ts';
import { setUp } from '../setup/set-up.ts';
import { printAnswers } from './each-program.ts';
import type { Flags } from './flags.ts';
import { interruptible } from './interrupt.ts';
import { ends, left, note, print, printExactly, printJson, printTable, right } from './print.ts';
import { createProgress } from './progress.ts';

export async function demo({ out, json }: Flags<'out'>): Promise<void> {
  const started = performance.now();
  if (existsSync(resolve(out, 'campaign.json'))) {
    throw badInput(`${resolve(out)} already contains a campaign: choose another folder with --out, or remove it.`);
  }
  const { programs } = await setUp(note);
  const { large, cpuPercent, linkBps } = DEMO;
  const spec = labSpec({ name: 'demo', hosts: Math.max(...large), cpuPercent, linkBps });
  const result = await interruptible((signal) =>
    runDemo({ spec, programs, out: resolve(out), signal, progress: createProgress, say: note }),
  );
  if (json) return printJson({ ...result, seconds: Math.round((performance.now() - started) / 1000) });
  print(`\nPredicted from ${result.trainedOn.join(' and ')} nodes only, then measured:\n`);
  printTable(result.predictions, [
    left('model', ({ model, title }) => (model === 'auto' ? `auto: ${title}` : title)),
    right('nodes', ({ nodes }) => nodes),
    right('scale', ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('predicted', ({ predicted }) => formatSeconds(predicted)),
    left('90 % interval', ({ interval }) => (interval ? ends(interval, formatSeconds) : '')),
    right('measured', ({ measured }) => formatSeconds(measured)),
    right('error', ({ errorPercent }) => `${errorPercent > 0 ? '+' : ''}${errorPercent.toFixed(1)} %`),
  ]);
  print('');
  for (const [model, error] of Object.entries(result.medianErrorPercent)) {
    const inside = result.insidePercent[model] ?? 0;
    print(`${model}: median error ${error.toFixed(1)} %, ${inside.toFixed(0)} % of the cells inside their interval`);
  }
  print('');
  printAnswers(result.answers);
  printExactly(`Report: ${result.report}`);
  note(`predict: done in ${formatSeconds((performance.now() - started) / 1000)}; the lab was removed.`);
}
