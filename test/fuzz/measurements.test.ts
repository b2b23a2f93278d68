import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { parseRowsCsv, readExperimentCsv, writeExperimentCsv } from '../../modeling/exchange/csv.ts';
import { readExperimentParquet, writeExperimentParquet } from '../../modeling/exchange/experiment-parquet.ts';
import {
  readExtrapJson,
  readExtrapJsonl,
  writeExtrapJson,
  writeExtrapJsonl,
} from '../../modeling/exchange/extrap-json.ts';
import { readExtrapText, writeExtrapText } from '../../modeling/exchange/extrap-text.ts';
import { communicationProblem, type Rows } from '../../modeling/rows.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { allFinite, fuzz } from './reader.ts';

const rows = readFileSync(join(projectRoot(), 'test/fixtures/modeling/eq2_s28.csv'), 'utf8');
const SHORT = rows.split('\n').slice(0, 12).join('\n');
const LONG =
  'scale,nodes,bw,rep,callpath,metric,value\n20,4,100,1,main,time,0.5\n20,4,100,2,main,time,0.51\n20,9,50,1,"a,b",time,0.3\n';
const PARTS = 'scale,n,bw,rep,ct,communication\n1,4,100,1,2.5,0.5\n1,4,100,2,2.6,\n1,9,100,1,1.5,1e-1\n';
const EXPERIMENT = readExperimentCsv(
  'p,size,rep,callpath,metric,value\n4,10,1,main,time,1.5\n4,10,2,main,time,1.6\n9,10,1,main,time,0.9\n4,10,1,io,bytes,3e6\n9,10,1,io,bytes,2e6\n',
  'seed.csv',
);

fuzz({
  name: 'rows as CSV',
  inputs: damagedTexts([SHORT, rows, PARTS]),
  read: (text) => parseRowsCsv(text, 'rows.csv'),
  isRight: (value) => {
    const { communication, ...others } = value as Rows;
    allFinite(others);
    // Where it was not measured it is no number.
    for (const [row, seconds] of communication.entries()) {
      if (!Number.isNaN(seconds)) expect(communicationProblem(seconds, others.ct[row] ?? NaN)).toBeNull();
    }
  },
});
fuzz({
  name: 'experiments as CSV',
  inputs: damagedTexts([SHORT, LONG, writeExperimentCsv(EXPERIMENT)]),
  read: (text) => readExperimentCsv(text, 'rows.csv'),
});
fuzz({
  name: "Extra-P's text",
  inputs: damagedTexts([
    writeExtrapText(readExperimentCsv(SHORT, 's')),
    'PARAMETER p\nPOINTS 4 8\nMETRIC time\nREGION main\nDATA 1 2\nDATA 3 4\n',
  ]),
  read: (text) => readExtrapText(text, 'rows.txt'),
});
fuzz({
  name: "Extra-P's JSON",
  inputs: damagedTexts([writeExtrapJson(EXPERIMENT), writeExtrapJson(readExperimentCsv(SHORT, 's'))]),
  read: (text) => readExtrapJson(text, 'rows.json'),
});
fuzz({
  name: "Extra-P's JSON lines",
  inputs: damagedTexts([writeExtrapJsonl(EXPERIMENT), writeExtrapJsonl(readExperimentCsv(SHORT, 's'))]),
  read: (text) => readExtrapJsonl(text, 'rows.jsonl'),
});

fuzz({
  name: 'experiments as Parquet',
  inputs: damagedBytes([
    await writeExperimentParquet(readExperimentCsv(SHORT, 's')),
    await writeExperimentParquet(EXPERIMENT),
  ]),
  read: (bytes) => readExperimentParquet(bytes, 'rows.parquet'),
});
