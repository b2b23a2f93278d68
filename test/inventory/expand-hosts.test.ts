import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { allocationOf } from '../../inventory/allocation.ts';
import { expandHosts } from '../../inventory/expand-hosts.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';

describe('expandHosts', () => {
  test.each([
    ['node1', ['node1']],
    ['node[01-03]', ['node01', 'node02', 'node03']],
    ['node[1,3,7-9]', ['node1', 'node3', 'node7', 'node8', 'node9']],
    ['rack[1-2]-n[09-10]', ['rack1-n09', 'rack1-n10', 'rack2-n09', 'rack2-n10']],
    ['n[8-11]', ['n8', 'n9', 'n10', 'n11']],
    ['n[098-101]', ['n098', 'n099', 'n100', 'n101']],
    ['n[1-2], login', ['n1', 'n2', 'login']],
    ['n[1, 2]-ib', ['n1-ib', 'n2-ib']],
    ['10.0.0.[1-2]', ['10.0.0.1', '10.0.0.2']],
  ])('%s', (text, names) => {
    expect(expandHosts(text)).toEqual(names);
  });

  test.each([
    ['node[32-01]', "The range '32-01' in 'node[32-01]' runs backwards: write 01-32."],
    ['node[01-32', "'node[01-32' has an opening bracket that is never closed: write ranges as in node[01-04]."],
    ['node01-32]', "'node01-32]' has a closing bracket without an opening one"],
    [`${'a'.repeat(254)}[1-9]`, 'a name has at most 253 characters'],
    ['node[1[2]]', "'node[1[2]]' has a bracket inside a bracket"],
    ['node[1,1]', "'node[1,1]' names node1 twice: keep one."],
    ['a,b,a', "'a,b,a' names a twice: keep one."],
    ['node[]', "'' in 'node[]' is no number or range"],
    ['node[a-c]', "'a-c' in 'node[a-c]' is no number or range"],
    ['node[1-2-3]', "'1-2-3' in 'node[1-2-3]' is no number or range"],
    ['a,,b', "'a,,b' has an empty host name"],
    ['', "'' has an empty host name"],
    ['-oProxyCommand=x', "'-oProxyCommand=x' is no host name"],
    ['a b', "'a b' is no host name"],
    ['n[1-999999999]', "'n[1-999999999]' names more than 100000 hosts"],
    ['n[1-1000][1-1000]', "'n[1-1000][1-1000]' names more than 100000 hosts"],
    ['n[1-60000],m[1-60000]', "'n[1-60000],m[1-60000]' names more than 100000 hosts"],
  ])('%s is refused with its text', (text, message) => {
    expect(() => expandHosts(text)).toThrow(expect.objectContaining({ kind: 'badInput' }));
    expect(() => expandHosts(text)).toThrow(message);
  });
});

test('a range of any start, length and padding has every number', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.integer({ min: 2, max: 300 }), fc.nat(6), (start, count, width) => {
      const numbers = Array.from({ length: count }, (_, index) => String(start + index).padStart(width, '0'));
      expect(expandHosts(`n[${numbers[0]}-${numbers.at(-1)}]`)).toEqual(numbers.map((number) => `n${number}`));
    }),
  );
});

const FILE = 'cluster: c\nhosts: slurm\nnetwork: { interface: eth0 }\nlineRate: 1gbit\n';
const JOB = { SLURM_JOB_ID: '125', SLURM_JOB_NODELIST: 'node[08-10,12],gpu1' };

it('the hosts of a job are read from its environment, in its order', () => {
  expect(allocationOf(JOB)?.hosts.map(({ name }) => name)).toEqual(['node08', 'node09', 'node10', 'node12', 'gpu1']);
  expect(allocationOf({})).toBeNull();
  expect(() => allocationOf({ ...JOB, SLURM_JOB_ID: '1;reboot' })).toThrow(/not the number of a job/);
});

it('an inventory takes them where its hosts are slurm, and srun as its launcher', () => {
  const { hosts, job, mpi } = parseInventory(FILE, 'i', { allocation: allocationOf(JOB) });
  expect(hosts).toHaveLength(5);
  expect([job, mpi.launcher]).toEqual([{ scheduler: 'slurm', id: '125' }, 'srun']);
  const other = parseInventory(`${FILE}mpi: { launcher: openmpi }\n`, 'i', { allocation: allocationOf(JOB) });
  expect(other.mpi.launcher).toBe('openmpi');
});

it('outside of an allocation it is refused with its line', () => {
  expect(() => parseInventory(FILE, 'i.yaml', { allocation: null })).toThrow(/^i\.yaml:2: hosts is 'slurm', but/);
});
