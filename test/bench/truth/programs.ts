import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { csvFields } from '../../../base/index.ts';
import { rowsFrom } from '../../../modeling/index.ts';
import { type Split, splitAt } from './tables.ts';

/** Each campaign of a folder (test/fixtures/mpi-programs), trained on the smallest share of its node counts. */
export function programSplits(folder: string, share: number): Split[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return files.sort().flatMap((file) => {
    const name = basename(file, '.csv');
    const rows = readCampaignCsv(join(folder, file));
    return splitAt({ set: name, name, ranksPerNode: 1, rows }, share) ?? [];
  });
}

/** `nodes,ranks,bw_percent,scale,rep,role,search,time_s`; rows that repeat the baseline for drift are left out. */
function readCampaignCsv(path: string) {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const names = csvFields(header);
  const field = (fields: readonly string[], name: string): string => fields[names.indexOf(name)] ?? '';
  return rowsFrom(
    lines
      .map(csvFields)
      .filter((fields) => field(fields, 'role') === 'measure')
      .map((fields) => ({
        scale: Number(field(fields, 'scale')),
        nodes: Number(field(fields, 'nodes')),
        bw: Number(field(fields, 'bw_percent')),
        ct: Number(field(fields, 'time_s')),
      })),
  );
}
