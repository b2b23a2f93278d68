import { expect, it } from 'vitest';
import { allocationOf } from '../../inventory/allocation.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';

const FILE = 'cluster: c\nhosts: slurm\nnetwork: { interface: eth0 }\nlineRate: 1gbit\n';
const JOB = { SLURM_JOB_ID: '125', SLURM_JOB_NODELIST: 'node[08-10,12],gpu1' };

it('the hosts of a job are read from its environment, in its order', () => {
  expect(allocationOf(JOB)?.hosts.map(({ name }) => name)).toEqual(['node08', 'node09', 'node10', 'node12', 'gpu1']);
  expect(allocationOf({})).toBeNull();
  expect(() => allocationOf({ ...JOB, SLURM_JOB_ID: '1;reboot' })).toThrow(/no job's number/);
});

it('an inventory takes them where its hosts are slurm, and srun as its launcher', () => {
  const { hosts, slurmJob, mpi } = parseInventory(FILE, 'i', { allocation: allocationOf(JOB) });
  expect(hosts).toHaveLength(5);
  expect([slurmJob, mpi.launcher]).toEqual(['125', 'srun']);
  const other = parseInventory(`${FILE}mpi: { launcher: openmpi }\n`, 'i', { allocation: allocationOf(JOB) });
  expect(other.mpi.launcher).toBe('openmpi');
});

it('outside of an allocation it is refused with its line', () => {
  expect(() => parseInventory(FILE, 'i.yaml', { allocation: null })).toThrow(/^i\.yaml:2: hosts is 'slurm', but/);
});
