import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PredictError } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { schemaKeys } from '../../base/yaml/schema-keys.ts';
import { launcherSchema, writtenInventorySchema } from '../../inventory/inventory-schema.ts';
import { loadInventory, parseInventory } from '../../inventory/load-inventory.ts';

const GOOD = `cluster: lab
hosts:
  - node[01-02]
network:
  interface: eth0
lineRate: 200mbit
`;

/** The message of the refusal, with the kind checked on the way. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof PredictError && error.kind === 'badInput') return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

const refused = (text: string): string => refusal(() => parseInventory(text, 'inventory.yaml'));

/** GOOD with the line that starts with the key replaced, or more lines added. */
function changed(from: string, to: string): string {
  expect(GOOD).toContain(from);
  return GOOD.replace(from, to);
}

function file(content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'predict-inventory-')), 'inventory.yaml');
  writeFileSync(path, content);
  return path;
}

describe('a good file', () => {
  test('has its defaults filled in', () => {
    expect(parseInventory(GOOD, '/etc/inventory.yaml')).toEqual({
      path: '/etc/inventory.yaml',
      cluster: 'lab',
      hosts: [
        { name: 'node01', address: undefined },
        { name: 'node02', address: undefined },
      ],
      ssh: {},
      network: { interface: 'eth0', queue: 'fair', beside: [], blocking: true },
      lineRate: 200e6,
      accept: [],
      allow: ['graph500', 'graphalytics'],
      ranksPerNode: 1,
      mpi: { launcher: 'openmpi', args: [], env: {}, head: undefined },
      work: { shared: false },
      programs: {},
      sampling: { hz: 20, cgroup: [] },
    });
  });

  test.each([
    ['CRLF line ends', GOOD.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${GOOD}`],
    ['no newline at the end', GOOD.trimEnd()],
    ['a document marker', `---\n${GOOD}`],
  ])('may have %s', (_, text) => {
    expect(loadInventory(file(text)).hosts).toHaveLength(2);
  });

  test('paths start at its folder and ~ is the home', () => {
    const path = file(`${GOOD}ssh:\n  key: keys/id\n  knownHosts: ~/known\n  config: ../ssh_config\n`);
    const folder = dirname(path);
    expect(loadInventory(path, { home: '/home/me' }).ssh).toEqual({
      key: join(folder, 'keys/id'),
      knownHosts: '/home/me/known',
      config: join(folder, '../ssh_config'),
    });
  });

  test('ssh.config: none stays none', () => {
    expect(parseInventory(`${GOOD}ssh: { config: none }\n`, 'i').ssh.config).toBe('none');
  });

  test('addresses pair with names', () => {
    const text = changed('  - node[01-02]', '  - { name: "n[1-2]", address: "10.0.0.[8-9]" }');
    expect(parseInventory(text, 'i').hosts).toEqual([
      { name: 'n1', address: '10.0.0.8' },
      { name: 'n2', address: '10.0.0.9' },
    ]);
  });

  test('a head that is one of the hosts has the address given there', () => {
    const text = changed('  - node[01-02]', '  - { name: n1, address: 10.0.0.8 }');
    expect(parseInventory(`${text}mpi: { head: n1 }\n`, 'i').mpi.head).toEqual({ name: 'n1', address: '10.0.0.8' });
    expect(parseInventory(`${text}mpi: { head: front }\n`, 'i').mpi.head).toEqual({
      name: 'front',
      address: undefined,
    });
  });

  test('numbers in the environment and the arguments stay as written', () => {
    const text = `${GOOD}mpi:\n  args: [-n, 010]\n  env: { VERSION: 1.10, HEX: 0x1F, FLAG: true }\n`;
    const { mpi } = parseInventory(text, 'i');
    expect(mpi.args).toEqual(['-n', '010']);
    expect(mpi.env).toEqual({ VERSION: '1.10', HEX: '0x1F', FLAG: 'true' });
  });
});

describe('a wrong value is one line with its place, the value and what was expected', () => {
  test.each([
    [
      'lineRate: 200mbit',
      'lineRate: 0',
      "6: lineRate: '0' is not a link rate: write a positive number with its unit, such as 200mbit or 56gbit.",
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 0mbit',
      "6: lineRate: '0mbit' is not a link rate: write a positive number with its unit, such as 200mbit or 56gbit.",
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 200',
      "6: lineRate: '200' is not a link rate: write a positive number with its unit, such as 200mbit or 56gbit.",
    ],
    ['lineRate: 200mbit', 'lineRate:', '6: lineRate is empty: expected for example lineRate: 200mbit.'],
    ['lineRate: 200mbit\n', '', '1: lineRate is missing: expected for example lineRate: 200mbit.'],
    [
      'lineRate: 200mbit',
      'lineRat: 200mbit',
      "1: lineRate is missing: expected for example lineRate: 200mbit.\ninventory.yaml:6: unknown key 'lineRat': did you mean 'lineRate'?",
    ],
    [
      'cluster: lab',
      'cluster: a b',
      "1: cluster is 'a b': use letters, digits, '.', '_', '+' and '-', 100 at most, with no dot or dash in front.",
    ],
    [
      'cluster: lab',
      'cluster: ".."',
      "1: cluster is '..': use letters, digits, '.', '_', '+' and '-', 100 at most, with no dot or dash in front.",
    ],
    ['cluster: lab', 'cluster: 2024', "1: cluster is 2024: expected text: put it in quotes, '2024'."],
    ['hosts:\n  - node[01-02]', 'hosts: []', '2: hosts is an empty list: name at least one host.'],
    [
      'hosts:\n  - node[01-02]',
      'hosts: node[01-02]',
      "2: hosts is 'node[01-02]': expected a list: put '- ' before it on its own line.",
    ],
    ['  - node[01-02]', '  - n1\n  - 17', '4: hosts[1] is 17: expected text or a section with the keys name, address.'],
    [
      '  - node[01-02]',
      '  - { nam: n1 }',
      "3: hosts[0].name is missing: expected text.\ninventory.yaml:3: unknown key 'nam' in hosts[0]: did you mean 'name'?",
    ],
    ['  - node[01-02]', '  - node[02-01]', "3: The range '02-01' in 'node[02-01]' runs backwards: write 01-02."],
    ['  - node[01-02]', '  - node[01-02]\n  - node02', '4: host node02 is named twice: keep it in one entry of hosts.'],
    [
      '  - node[01-02]',
      '  - { name: "n[1-2]", address: 10.0.0.1 }',
      "3: 'n[1-2]' names 2 hosts and '10.0.0.1' 1 address: give one address for each name.",
    ],
    [
      '  interface: eth0',
      '  cidr: 10.0.0.0',
      "5: network.cidr is '10.0.0.0': write an IPv4 network such as 10.0.0.0/24.",
    ],
    ['  interface: eth0\n', '', '4: network is empty: expected for example network: { interface: eth0 }.'],
    [
      'network:\n  interface: eth0',
      'network: {}',
      '4: network: give the data interface (interface: eth0) or the data network (cidr: 10.0.0.0/24).',
    ],
    ['lineRate: 200mbit', 'lineRate: 1gbit\nranksPerNode: 1.5', '7: ranksPerNode is 1.5: expected a whole number.'],
    ['lineRate: 200mbit', 'lineRate: 1gbit\nranksPerNode: 0', '7: ranksPerNode is 0: expected a number above 0.'],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nssh:\n  port: 99999',
      '8: ssh.port is 99999: expected a number of at most 65535.',
    ],
    ['lineRate: 200mbit', 'lineRate: 1gbit\nssh:\n  prot: 22', "8: unknown key 'prot' in ssh: did you mean 'port'?"],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nknownHosts: x',
      "7: unknown key 'knownHosts': did you mean 'ssh.knownHosts'?",
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nwork: { zzz: 1 }',
      "7: unknown key 'zzz' in work: valid keys here are folder, shared.",
    ],
    ...(
      [
        ['tmp', 'it is not absolute'],
        ['/', 'it is the root of the file system'],
        ['/srv/x dir/work', 'it has the character " "; use letters, digits and . _ @ + = ~ , -'],
        ['/srv/$(id)', 'it has the character "$"; use letters, digits and . _ @ + = ~ , -'],
        ['/srv/../etc', "it contains '.' or '..'"],
        [`/srv/${'x'.repeat(3995)}`, 'it has 4000 characters, more than 400'],
      ] as const
    ).map(
      ([folder, why]) =>
        [
          'lineRate: 200mbit',
          `lineRate: 1gbit\nwork: { folder: ${JSON.stringify(folder)} }`,
          `7: work.folder: name another folder than '${shortened(folder)}': ${why}.`,
        ] as [string, string, string],
    ),
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nwork: { shared: "yes" }',
      "7: work.shared is 'yes': expected true or false.",
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nmpi:\n  launcher: openmp',
      `8: mpi.launcher is 'openmp': expected one of ${launcherSchema.options.join(', ')} (did you mean 'openmpi'?).`,
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nmpi:\n  env:\n    A: [1]',
      '9: mpi.env.A is ["1"]: expected text or a number or true or false.',
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\naccept: n99',
      '7: accept names n99, which is not one of the hosts: correct the name.',
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nmpi: { head: "n[1-2]" }',
      '7: mpi.head names 2 hosts: the launcher runs on one, name that.',
    ],
    ...['-x; id', 'eth0 up', 'a/b', '..', 'x'.repeat(16)].map((name) => [
      '  interface: eth0',
      `  interface: "${name}"`,
      `5: network.interface is '${name}': an interface's name has 15 characters at most: letters, digits and _ . @ -, with no dot or dash in front.`,
    ]),
    [
      '  - node[01-02]',
      '  - a[1-99999]\n  - b[1-99999]\n  - c[1-99999]',
      '4: hosts names more than 100000 hosts: name fewer.',
    ],
    [
      'lineRate: 200mbit',
      'lineRate: 1gbit\nmemoryPerNode: lots',
      "7: memoryPerNode: 'lots' is not a size in bytes: write a positive number such as 256GiB or 64GB.",
    ],
  ])('%j -> %j', (from, to, message) => {
    expect(refused(changed(from, to))).toBe(`inventory.yaml:${message}`);
  });

  test('everything that is wrong is listed in the order of the lines', () => {
    const text = `cluster: a b\nhosts: [n1, n1]\nnetwork: { interface: 5 }\nlineRate: 0\nsampling: { hz: 5000 }\n`;
    const lines = refused(text).split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'inventory.yaml:1: cluster',
      'inventory.yaml:2: host',
      'inventory.yaml:3: network.interface',
      'inventory.yaml:4: lineRate:',
      'inventory.yaml:5: sampling.hz',
    ]);
  });

  test('of thousands of unknown keys the first are told, in seconds', () => {
    const before = process.cpuUsage();
    const text = GOOD + Array.from({ length: 60_000 }, (_, index) => `k${index}: 1\n`).join('');
    expect(refused(text)).toMatch(/^inventory\.yaml:7: unknown key 'k0': .*\ninventory\.yaml:8: unknown key 'k1'/);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(20);
  });

  test('a value behind an alias is reported where it is written', () => {
    expect(refused(`x: &a { zzz: 1 }\n${GOOD}work: *a\n`)).toContain("inventory.yaml:1: unknown key 'zzz' in work");
  });
});

describe('a file that is no inventory is one sentence', () => {
  test.each([
    [
      'empty',
      '',
      'inventory.yaml is empty: an inventory needs cluster, hosts, network and lineRate (docs/cluster.md).',
    ],
    [
      'only a comment',
      '# nothing\n',
      'inventory.yaml is empty: an inventory needs cluster, hosts, network and lineRate (docs/cluster.md).',
    ],
    [
      'a list',
      '- a\n- b\n',
      'inventory.yaml:1: The file is ["a","b"]: expected a section with the keys cluster, hosts, ssh, network, lineRate, accept, allow, ranksPerNode, mpi, work, programs, costPerNodeHour, memoryPerNode, sampling.',
    ],
    [
      'a program under allow that is not absolute',
      `${GOOD}allow: [solve]\n`,
      "inventory.yaml:7: allow[0] is 'solve': give an absolute path.",
    ],
    ['a duplicate key', `${GOOD}cluster: other\n`, "inventory.yaml:7: the key 'cluster' is given twice: keep one."],
    [
      'two documents',
      `${GOOD}---\n${GOOD}`,
      "inventory.yaml:7: the file holds several documents: keep one and remove the '---' before it.",
    ],
  ])('%s', (_, text, message) => {
    expect(refused(text)).toBe(message);
  });

  test('a syntax error names its line', () => {
    expect(refused('cluster: lab\nhosts:\n  - a\n bad\n')).toMatch(
      /^inventory\.yaml:\d: '.*' is not valid YAML: .+\.$/m,
    );
    expect(refused('cluster: lab\nhosts: ["a\n')).toMatch(/^inventory\.yaml:\d: /);
  });

  test('a range without quotes in a [..] list says to use quotes', () => {
    expect(refused(changed('hosts:\n  - node[01-02]', 'hosts: [node[01-02]]'))).toContain(
      'inside a [..] list, put ranges in quotes: ["node[01-04]"]',
    );
  });

  test('missing', () => {
    expect(refusal(() => loadInventory('/nonexistent/i.yaml'))).toBe(
      'There is no inventory file /nonexistent/i.yaml: check the path, or write one (docs/cluster.md).',
    );
  });

  test('a folder', () => {
    expect(refusal(() => loadInventory('/tmp'))).toBe('/tmp is a folder: name the inventory file in it.');
  });

  test('not text', () => {
    const path = file(Buffer.from([0x63, 0xff, 0xfe, 0x00]));
    expect(refusal(() => loadInventory(path))).toBe(`The inventory file ${path} is not UTF-8 text: save it as UTF-8.`);
  });

  test('hosts that have themselves inside', () => {
    expect(refused(GOOD.replace('\n  - node[01-02]', ' &h [*h]'))).toBe(
      'inventory.yaml is not usable YAML: an alias (*name) lies within the node that it refers to.',
    );
  });

  test('an alias bomb', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) =>
        `${'abcdefghi'[level]}: &${'abcdefghi'[level]} [${Array(9)
          .fill(level === 0 ? 'x' : `*${'abcdefghi'[level - 1]}`)
          .join(', ')}]`,
    );
    expect(refused(`${levels.join('\n')}\n`)).toContain('inventory.yaml is not usable YAML: Excessive alias count');
  });
});

describe('docs/cluster.md', () => {
  const doc = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8');

  test('its example loads', () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(doc)?.[1] ?? '';
    const inventory = parseInventory(yaml, '/home/me/inventory.yaml', { home: '/home/me' });
    expect(inventory.hosts).toHaveLength(28);
    expect(inventory.lineRate).toBe(56e9);
    expect(inventory.ssh.knownHosts).toBe('/home/me/known_hosts');
  });

  test('docs/tables.md explains each key', () => {
    const tables = readFileSync(new URL('../../docs/tables.md', import.meta.url), 'utf8');
    const keys = schemaKeys(writtenInventorySchema);
    expect(keys).toContain('mpi.head.address');
    expect(keys.filter((key) => !tables.includes(`\n- \`${key}\`: `))).toEqual([]);
  });
});
