import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../base/errors.ts';
import { readEvents } from '../../experiments/store/campaign-events.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { LEASE_S } from './language.ts';
import { marked, sayProcess } from './processes.ts';
import type { Site } from './site.ts';

/** A rule that was broken, by what the figures of the suite count. */
export interface Problem {
  readonly kind: 'cell lost' | 'link left' | 'hang' | 'left behind' | 'store' | 'unexpected';
  readonly text: string;
}

/** A keeper looks once a second. */
const LINKS_S = LEASE_S + 2;
/** sshd gives a silent connection up after 15 s. */
const GONE_S = 20;
/** Timed rounds of the light workload. */
const ROUNDS = 3;
const LINE_RATE_BPS = 200e6;

/** Links that are not at their own rate one lease after a sweep's end. */
export async function linkProblems(site: Site): Promise<Problem[]> {
  const shaped = await settled(LINKS_S, async () =>
    (await Promise.all(site.hosts.map((host) => site.shapedLinks(host)))).filter((text) => text !== ''),
  );
  return shaped.map((text) => ({ kind: 'link left', text }));
}

/** Processes of ours that live on, on hosts or here; `folders` are those of private Redis servers. */
export async function processProblems(site: Site, mark: string, folders: ReadonlySet<string>): Promise<Problem[]> {
  const left = await settled(GONE_S, async () => [
    ...site.hosts.flatMap((host) => site.processes(host).map((process) => `${host.name}: ${sayProcess(process)}`)),
    ...marked(mark, folders).map((process) => `here: ${sayProcess(process)}`),
  ]);
  return left.map((text) => ({ kind: 'left behind', text }));
}

/** Files of ours that stay when a campaign is complete. */
export function fileProblems(site: Site, folders: Iterable<string>, temporary: string): Problem[] {
  const below = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const left = [...below(site.runFolder), ...below(temporary), ...[...folders].filter((folder) => existsSync(folder))];
  return left.map((text) => ({ kind: 'left behind', text }));
}

interface RawRecord {
  readonly cell: { readonly id: string; readonly nodes: number; readonly bw: number };
  readonly status: string;
  readonly reason: string | null;
  readonly outputTail: readonly string[];
  readonly hosts: readonly string[];
  readonly proof: { readonly bw: number; readonly rateBps: number } | null;
  readonly samplers: readonly { readonly host: string; readonly samples: number }[];
  readonly marks?: readonly unknown[];
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** What is wrong with a campaign that should be complete: each planned cell recorded once, whole and right. */
export async function storeProblems(out: string, planned: readonly string[]): Promise<Problem[]> {
  if (!existsSync(join(out, 'campaign.json'))) return [{ kind: 'cell lost', text: `${out} has no campaign.json` }];
  const { cells } = JSON.parse(readFileSync(join(out, 'campaign.json'), 'utf8')) as { cells: RawRecord['cell'][] };
  const names = cells.map(({ nodes, bw }) => `${nodes}:10:${bw}`).sort();
  const ids = new Set(cells.map(({ id }) => id));
  const folders = readdirSync(join(out, 'cells')).filter((name) => !name.startsWith('.'));
  const finished = readEvents(out).flatMap((event) => (event.kind === 'cell-finished' ? [event.id] : []));
  const done = await readDoneCells(out).then(
    ({ size }) => size,
    (error: unknown) => messageOf(error),
  );
  const store = (isWrong: boolean, text: string): Problem[] => (isWrong ? [{ kind: 'store', text }] : []);
  return [
    ...store(names.join() !== [...planned].sort().join(), `campaign.json plans ${names.join(' ')}`),
    ...folders.flatMap((name) => store(!ids.has(name), `${name} is no planned cell`)),
    ...[...ids].flatMap((id) =>
      store(finished.filter((one) => one === id).length > 1, `cell ${id} was measured twice`),
    ),
    ...store(done !== ids.size, `a reader finds ${done} cells of ${ids.size}`),
    ...cells.flatMap((cell) => cellProblems(join(out, 'cells', cell.id), cell)),
  ];
}

function cellProblems(folder: string, { id, nodes, bw }: RawRecord['cell']): Problem[] {
  if (!existsSync(join(folder, 'record.json'))) return [{ kind: 'cell lost', text: `cell ${id} has no record` }];
  const record = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8')) as RawRecord;
  if (record.status !== 'ok') {
    const why = `${record.reason} ${record.outputTail.join(' | ')}`;
    return [{ kind: 'cell lost', text: `cell ${id} is ${record.status}: ${why}` }];
  }
  const wrong = (isWrong: boolean, what: string): Problem[] =>
    isWrong ? [{ kind: 'store', text: `cell ${id}: ${what}` }] : [];
  const hosts = Array.from({ length: nodes }, (_, index) => `node${String(index + 1).padStart(2, '0')}`);
  const output = existsSync(join(folder, 'stdout.txt')) ? readFileSync(join(folder, 'stdout.txt'), 'utf8') : '';
  const blind = hosts.filter((host) => !record.samplers.some((one) => one.host === host && one.samples > 0));
  return [
    ...wrong(record.cell.id !== id, `its record is of ${record.cell.id}`),
    ...wrong(record.hosts.join() !== hosts.join(), `it ran on ${record.hosts.join()}`),
    ...wrong(record.proof?.bw !== bw, `its proof is of ${record.proof?.bw} %`),
    ...wrong(record.proof?.rateBps !== (LINE_RATE_BPS * bw) / 100, `its rate is ${record.proof?.rateBps}`),
    ...wrong(output.match(/round took/g)?.length !== ROUNDS, 'its output has not every round'),
    ...wrong(blind.length > 0 && !record.marks?.length, `no samples of ${blind.join()}, and no mark says so`),
    ...Object.entries(record.files).flatMap(([name, file]) => {
      const path = join(folder, name);
      const data = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      const isSame = data.length === file.bytes && createHash('sha256').update(data).digest('hex') === file.sha256;
      return wrong(!isSame, `${name} is not what its record says`);
    }),
  ];
}

/** What a check still finds after so many seconds; empty as soon as it finds nothing. */
async function settled(seconds: number, check: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found.length === 0 || performance.now() > deadline) return found;
    await delay(100);
  }
}
