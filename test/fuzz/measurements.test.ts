import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/project-root.ts';
import { parseRowsCsv } from '../../modeling/exchange/csv.ts';
import * as exchange from '../../modeling/exchange/index.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

const rows = readFileSync(join(projectRoot(), 'test/fixtures/modeling/eq2_s28.csv'), 'utf8');
const SHORT = rows.split('\n').slice(0, 12).join('\n');
const LONG =
  'scale,nodes,bw,rep,callpath,metric,value\n20,4,100,1,main,time,0.5\n20,4,100,2,main,time,0.51\n20,9,50,1,"a,b",time,0.3\n';
const EXPERIMENT = exchange.readExperimentCsv(
  'p,size,rep,callpath,metric,value\n4,10,1,main,time,1.5\n4,10,2,main,time,1.6\n9,10,1,main,time,0.9\n4,10,1,io,bytes,3e6\n9,10,1,io,bytes,2e6\n',
  'seed.csv',
);

fuzz({ name: 'rows as CSV', inputs: damagedTexts([SHORT, rows]), read: (text) => parseRowsCsv(text, 'rows.csv') });
fuzz({
  name: 'experiments as CSV',
  inputs: damagedTexts([SHORT, LONG, exchange.writeExperimentCsv(EXPERIMENT)]),
  read: (text) => exchange.readExperimentCsv(text, 'rows.csv'),
});
fuzz({
  name: "Extra-P's text",
  inputs: damagedTexts([
    exchange.writeExtrapText(exchange.readExperimentCsv(SHORT, 's')),
    'PARAMETER p\nPOINTS 4 8\nMETRIC time\nREGION main\nDATA 1 2\nDATA 3 4\n',
  ]),
  read: (text) => exchange.readExtrapText(text, 'rows.txt'),
});
fuzz({
  name: "Extra-P's JSON",
  inputs: damagedTexts([
    exchange.writeExtrapJson(EXPERIMENT),
    exchange.writeExtrapJson(exchange.readExperimentCsv(SHORT, 's')),
  ]),
  read: (text) => exchange.readExtrapJson(text, 'rows.json'),
});
fuzz({
  name: "Extra-P's JSON lines",
  inputs: damagedTexts([
    exchange.writeExtrapJsonl(EXPERIMENT),
    exchange.writeExtrapJsonl(exchange.readExperimentCsv(SHORT, 's')),
  ]),
  read: (text) => exchange.readExtrapJsonl(text, 'rows.jsonl'),
});

fuzz({
  name: 'experiments as Parquet',
  inputs: damagedBytes([
    await exchange.writeExperimentParquet(exchange.readExperimentCsv(SHORT, 's')),
    await exchange.writeExperimentParquet(EXPERIMENT),
  ]),
  read: (bytes) => exchange.readExperimentParquet(bytes, 'rows.parquet'),
});
