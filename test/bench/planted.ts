// npm run bench -- planted: one of nine hosts of a lab gets half its processor quota, then a tenth of its link; who stands out? (root)
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';
import { setLink, setQuota } from '../causes/faults.ts';

const [LAB, HOSTS, CPU_PERCENT, LINK] = ['planted', 9, 6, '200mbit'];
const HOST = 'node05';
const folder = mkdtempSync(join(tmpdir(), 'predict-planted-'));
const predict = (...words: readonly string[]) => execa(join(projectRoot(), 'predict'), words, { stderr: 'ignore' });

try {
  await predict('lab', 'up', '--name', LAB, '--hosts', String(HOSTS), '--cpu', `${CPU_PERCENT}%`, '--link', LINK);
  await measured('nothing planted');
  setQuota(LAB, HOST, CPU_PERCENT / 2);
  await measured(`${HOST} has half its processor quota`);
  setQuota(LAB, HOST, 8 * CPU_PERCENT);
  await setLink(LAB, HOST, { rate: '20mbit', burst: 5000 });
  await measured(`the link of ${HOST} has a tenth of its rate`);
} finally {
  await predict('lab', 'down', '--name', LAB);
  rmSync(folder, { recursive: true, force: true });
}

/** A sweep with a fault, and the hosts on which the critical path lies. */
async function measured(what: string): Promise<void> {
  const [out, inventory] = [what.replaceAll(' ', '-'), 'inventory.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const usual = readFileSync(`/var/lib/predict-lab/${LAB}/inventory.yaml`, 'utf8');
  writeFileSync(inventory, `accept: ${HOST}\n${usual}`);
  const size = ['--nodes', String(HOSTS), '--scales', '20', '--bw', '100', '--roots', '8', '--repeats', '0'];
  await predict('sweep', '--inventory', inventory, ...size, '--out', out);
  const { stdout } = await predict('critical-path', out, '--cell', `${HOSTS}:20:100`, '--by', 'host', '--json');
  const { by, meanNs, sentences } = JSON.parse(stdout) as {
    by: Record<string, number>;
    meanNs: { length: number };
    sentences: string[];
  };
  const share = (100 * (by[HOST] ?? 0)) / meanNs.length;
  console.log(`${what}: a search takes ${(meanNs.length / 1e6).toFixed(0)} ms, ${share.toFixed(0)} % of it on ${HOST}`);
  for (const sentence of sentences) console.log(`  ${sentence}`);
}
