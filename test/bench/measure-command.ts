import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';

/** What one run of a command took, from its start to its end. */
export interface Measured {
  readonly wallSeconds: number;
  readonly userSeconds: number;
  readonly systemSeconds: number;
  readonly peakMegabytes: number;
}

/** Loaded before the command, says at its end what it used: to a file of its own, as its output may be long. */
const REPORTER = `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())));`;

/** Runs the compiled `predict` (of another folder) without its shell script, or a script of that folder; its output goes to a file. Errors: one that says how it ended. */
export async function measureCommand(
  args: readonly string[],
  { root = projectRoot(), script }: { readonly root?: string; readonly script?: string } = {},
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-command-'));
  const [usage, output] = [join(folder, 'usage.json'), openSync(join(folder, 'output'), 'w')];
  try {
    const reporter = `data:text/javascript,${encodeURIComponent(REPORTER)}`;
    const bundle = join(root, 'dist/program/main.cjs');
    // Commits of before there was a bundle.
    const command = existsSync(bundle)
      ? [bundle]
      : ['--enable-source-maps', join(root, 'dist/orchestrator/cli/main.js')];
    const main = script === undefined ? command : [join(root, script)];
    const start = performance.now();
    const child = spawn(process.execPath, ['--import', reporter, ...main, ...args], {
      stdio: ['ignore', output, 'inherit'],
      env: { ...process.env, BENCH_USAGE: usage },
    });
    const [code, signal] = await once(child, 'exit');
    const wallSeconds = (performance.now() - start) / 1000;
    if (code !== 0) throw new Error(`${script ?? 'predict'} ${args.join(' ')} ended with ${code ?? signal}`);
    const used: NodeJS.ResourceUsage = JSON.parse(readFileSync(usage, 'utf8'));
    return {
      wallSeconds,
      userSeconds: used.userCPUTime / 1e6,
      systemSeconds: used.systemCPUTime / 1e6,
      peakMegabytes: used.maxRSS / 1024,
    };
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}
