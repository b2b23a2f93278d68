import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import ssh2 from 'ssh2';
import { afterAll } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { parseRange } from '../../base/ranges.ts';
import { parseBytes, parsePercent, parseRate } from '../../base/units.ts';
import { parseCells } from '../../experiments/parse-cells.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { parseWorkload } from '../../experiments/workloads/load-workload.ts';
import { expandHosts } from '../../inventory/expand-hosts.ts';
import { checkHostKey, knownKeyTypes } from '../../inventory/host-keys.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { sshConfigHosts } from '../../inventory/ssh-config.ts';
import { readAsked } from '../../orchestrator/cli/sweep-asked.ts';
import { readIdentities } from '../../orchestrator/ssh/identities.ts';
import { damagedTexts } from './mutations.ts';
import { allFinite, fuzz } from './reader.ts';

const docs = (name: string): string => readFileSync(join(projectRoot(), 'docs', name), 'utf8');
const yamlIn = (name: string): string[] =>
  [...docs(name).matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

fuzz({
  name: 'inventory',
  inputs: damagedTexts([
    ...yamlIn('cluster.md'),
    'cluster: c\nhosts: ["n[01-04]", &x { name: "g[1-2]", address: 10.0.0.[1-2] }]\nnetwork: { interface: eth0 }\nlineRate: 200mbit\n',
    'cluster: c\nhosts:\n  - a\n  - b\nssh: &s { port: 22 }\nnetwork: { cidr: 10.0.0.0/24 }\nlineRate: 1gbit\nmpi: { env: { V: 1.10 } }\n',
  ]),
  read: (text) => parseInventory(text, '/x/inventory.yaml', { home: '/home/me' }),
});

fuzz({
  name: 'workloads',
  inputs: damagedTexts([
    ...yamlIn('workloads.md'),
    'kind: command\nname: x\ncommand: [a, "{param.a}", 1.10]\ntime: { pattern: "(x)" }\nranks: { multipleOf: 12 }\n',
  ]),
  read: (text) => {
    const workload = parseWorkload(text, 'w.yaml');
    return [workload.definition, workload.parameters, workload.admissible(12)];
  },
});

const asked = join(mkdtempSync(join(tmpdir(), 'fuzz-asked-')), 'campaign.yaml');
afterAll(() => rmSync(dirname(asked), { recursive: true, force: true }));
fuzz({
  name: 'campaign files',
  inputs: damagedTexts([
    ...yamlIn('campaign.md'),
    'nodes: [4, "9..16"]\nparam: { a: [1.10, x], b: y,z }\ncells: &c ["4:20:10"]\nlease: 2m\nslurm: -N 4\ntarget: nodes=9\n',
  ]),
  read: (text) => {
    writeFileSync(asked, text);
    return readAsked(asked, { reps: '2' });
  },
});

fuzz({
  name: 'ranges',
  inputs: damagedTexts(['4,9,16,25', '10..50', '10..50/10,100', '0.5..2/0.25', '1..100000', '1..1000000/100']),
  read: (text) => parseRange(text, { what: '--bw', least: 0, most: 1e6, integer: false }),
  isRight: (values) => {
    allFinite(values);
    const list = values as readonly number[];
    if (list.length > 100_001 || list.some((value) => value < 0 || value > 1e6)) throw new Error('out of bounds');
  },
});

fuzz({
  name: 'host ranges',
  inputs: damagedTexts([
    'node[01-32]',
    'rack[1-2]-n[01-16]',
    'n[1,3,7-9],login',
    '10.0.0.[1-20]',
    'n[01-99999],a[1-99999]',
  ]),
  read: expandHosts,
  isRight: (names) => {
    if ((names as readonly string[]).length > 100_000) throw new Error('too many');
  },
});

fuzz({
  name: 'rates',
  inputs: damagedTexts(['200mbit', '56gbit', '10Gbps', '1.5 Mbit/s', '9600bit']),
  read: parseRate,
});
fuzz({ name: 'sizes', inputs: damagedTexts(['256GiB', '64 GB', '1024', '1.5ki']), read: parseBytes });
fuzz({ name: 'percentages', inputs: damagedTexts(['20%', '6', '0.5 %']), read: (text) => parsePercent(text, '--bw') });

const SWEEP = { nodes: '4,9', scales: '20' };

fuzz({
  name: 'sweeps',
  inputs: fc.oneof(
    damagedTexts(['4,9', '1..100']).map((nodes) => ({ ...SWEEP, nodes })),
    damagedTexts(['20', '10..12']).map((scales) => ({ ...SWEEP, scales })),
    damagedTexts(['10..50/10', '100']).map((bw) => ({ ...SWEEP, bw })),
    damagedTexts(['1', '10']).map((reps) => ({ ...SWEEP, reps })),
    damagedTexts(['algorithm=bfs,pr', 'threads=2']).map((param) => ({ ...SWEEP, param: [param, 'a=1'] })),
  ),
  read: parseSweep,
});

fuzz({
  name: 'cells',
  inputs: damagedTexts(['25:20:10,25:20:100:2', '4:12:0.5']).filter((text) => !text.includes('\0')),
  read: parseCells,
});

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJm0Sbm4Lw6WqCgWbqkSZGZ9Zw3uJj3fvX6kq0mR7d1Q';
const blob = Buffer.from(KEY.split(' ')[1] ?? '', 'base64');

fuzz({
  name: 'known_hosts',
  inputs: damagedTexts([
    `# mine\nn1 ${KEY} a comment\n[n1]:2222,n2 ${KEY}\n@revoked * ${KEY}\n@cert-authority *.x ${KEY}\n`,
    `|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ${KEY}\n*.cluster,!n1,n? ${KEY}\n`,
    `n1 ${KEY}\r\n`,
  ]),
  read: (text) => {
    const files = [{ path: '/kh', text }];
    return [checkHostKey({ files, host: 'n1', port: 22, key: blob }), knownKeyTypes({ files, host: 'n1', port: 2222 })];
  },
  refusesNothing: true,
});

fuzz({
  name: 'hosts of an ssh_config',
  inputs: damagedTexts(['Host n1 n2\n  HostName 10.0.0.1\n  ProxyJump login\nHost login\nHost="n3" !n4\nHost *\n']),
  read: sshConfigHosts,
  refusesNothing: true,
});

const folder = mkdtempSync(join(tmpdir(), 'fuzz-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const keyPair = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
fuzz({
  name: 'private keys',
  inputs: damagedTexts([keyPair.private, keyPair.private, keyPair.public]),
  read: (text) => {
    const path = join(folder, 'key');
    writeFileSync(path, text, { mode: 0o600 });
    const { keys, problems } = readIdentities([path]);
    if (problems.some((problem) => problem.length > 700)) throw new Error('a long sentence');
    return keys.length === 0 ? null : keys.map(({ length }) => length);
  },
});
