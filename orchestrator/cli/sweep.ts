import type { Command } from 'commander';
import type { SweepTexts } from '../../experiments/index.ts';
import { HELP } from './help.ts';
import { note, print, printJson, table } from './print.ts';

interface SweepFlags extends SweepTexts {
  readonly inventory: string;
  readonly workload: string;
  readonly validate?: string;
  readonly out: string;
  readonly redis?: string;
  readonly lease: string;
  readonly cellTimeout: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function registerSweep(program: Command): void {
  program
    .command('sweep')
    .description('measure: workload x nodes x scales x bandwidths; the same command goes on where it stopped')
    .requiredOption('--inventory <file>', HELP.inventory)
    .option('--nodes <range>', 'node counts: 4,9,16,25')
    .option(
      '--cells <list|file>',
      'these cells instead: NODES:SCALE:BW[:REP],..., or the file of a predict advise --json',
    )
    .option('--scales <range>', 'dataset scales (2^scale vertices)', '20')
    .option(
      '--bw <range>',
      'bandwidths in percent of the line rate; a..b goes in steps of 2; 100 is always added',
      '10..50',
    )
    .option('--roots <n>', 'searches per run', '64')
    .option('--reps <n>', 'runs per cell', '1')
    .option('--seed <n>', 'seed of the graph and of the roots', '1')
    .option('--validate <n>', 'bundled graph500: validate only the first n searches of a run; all by default')
    .option('--workload <name|file>', 'graph500 (bundled) or a workload file (docs/workloads.md)', 'graph500')
    .option('--out <dir>', 'campaign folder', 'campaigns/sweep')
    .option('--redis <url>', 'a Redis to queue in; a private one by default')
    .option('--lease <time>', 'hosts restore their links this long after the controller has vanished', '60s')
    .option('--cell-timeout <time>', 'longest run of one cell', '30m')
    .option('--dry-run', 'only show the cells')
    .option('--json', HELP.json)
    .addHelpText(
      'after',
      '\nExample:\n  predict sweep --inventory lab.yaml --nodes 4,9,16,25 --scales 19,20 --bw 10..50/20 --roots 16 --out campaigns/first',
    )
    .action(sweep);
}

async function sweep(flags: SweepFlags): Promise<void> {
  const { PredictError } = await import('../../base/index.ts');
  const { loadWorkload, parseSweep } = await import('../../experiments/index.ts');
  const { loadInventory } = await import('../../inventory/index.ts');
  const { planSweep, runSweep } = await import('../sweep.ts');
  const { parseCount, parseSeconds } = await import('./flags.ts');
  const parsed = parseSweep(flags);
  const inventory = loadInventory(flags.inventory);
  const workload = await loadWorkload(
    flags.workload,
    flags.validate === undefined ? {} : { validate: parseCount(flags.validate, '--validate') },
  );
  const leaseS = parseSeconds(flags.lease, '--lease');
  const cellTimeoutS = parseSeconds(flags.cellTimeout, '--cell-timeout');
  const cells = planSweep({ sweep: parsed, workload, inventory });
  if (flags.dryRun) return showPlan(cells, flags.json);
  const { createProgress } = await import('./progress.ts');
  const { interruptible } = await import('./interrupt.ts');
  const result = await interruptible((signal) =>
    runSweep({
      sweep: parsed,
      workload,
      inventory,
      out: flags.out,
      redis: flags.redis,
      leaseS,
      cellTimeoutS,
      signal,
      onEvent: createProgress(cells),
    }),
  );
  const { campaign: _, ...plain } = result;
  if (flags.json) printJson(plain);
  else print(`${result.done} of ${result.planned} cells measured, ${result.failed.length} failed: ${result.out}`);
  if (result.unmeasured.length > 0) {
    const [first] = result.unmeasured;
    throw new PredictError(
      `${result.unmeasured.length} cells could not be measured; the same command tries them again. The first: ${first?.reason}`,
      { kind: 'infrastructure' },
    );
  }
  const [failed] = result.failed;
  if (failed) {
    throw new PredictError(`The workload failed in ${result.failed.length} cells. The first: ${failed.reason}`, {
      kind: 'workload',
    });
  }
  if (!flags.json) note(`predict: next: predict fit ${flags.out}, predict report ${flags.out}`);
}

function showPlan(cells: ReturnType<typeof import('../sweep.ts').planSweep>, json: boolean | undefined): void {
  if (json) {
    printJson({ cells });
    return;
  }
  const right = 'right' as const;
  print(
    table(cells, [
      { title: 'cell', value: ({ id }) => id },
      { title: 'nodes', value: ({ nodes }) => String(nodes), align: right },
      { title: 'ranks', value: ({ ranks }) => String(ranks), align: right },
      { title: 'scale', value: ({ scale }) => String(scale), align: right },
      { title: 'bw %', value: ({ bw }) => String(bw), align: right },
      { title: 'rep', value: ({ rep }) => String(rep), align: right },
      { title: 'role', value: ({ role }) => role },
    ]),
  );
  print(`${cells.length} cells`);
}

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('how far a campaign is')
    .argument('<dir>', 'campaign folder')
    .option('--json', HELP.json)
    .addHelpText('after', '\nExample:\n  predict status campaigns/first --json')
    .action(async (dir: string, { json }: { json?: boolean }) => {
      const { status } = await import('../../experiments/index.ts');
      const state = await status(dir);
      if (json) return printJson(state);
      const right = 'right' as const;
      const { trimNumber } = await import('../../base/index.ts');
      print(`${state.name}: ${state.cells.done} of ${state.cells.planned} cells done, ${state.cells.failed} failed`);
      print(
        table(state.groups, [
          { title: 'nodes', value: ({ nodes }) => String(nodes), align: right },
          { title: 'scale', value: ({ scale }) => String(scale), align: right },
          { title: 'planned', value: ({ planned }) => String(planned), align: right },
          { title: 'done', value: ({ done }) => String(done), align: right },
          { title: 'failed', value: ({ failed }) => String(failed), align: right },
        ]),
      );
      if (state.overhead) {
        const { perCellS, samplerCpuPercent } = state.overhead;
        print(
          `Beside the workload: ${trimNumber(perCellS)} s per cell; samplers took ${trimNumber(samplerCpuPercent)} % of a core each`,
        );
      }
    });
}
