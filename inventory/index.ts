/** Who takes part: the inventory file, its hosts, the lab, and how SSH reaches them. What other rooms use of it; they import it from the file that defines it. */
export { type Allocation, allocation, allocationOf } from './allocation.ts';
export { type DraftHost, draftInventory, networkOf } from './draft.ts';
export { expandHosts } from './expand-hosts.ts';
export { checkHostKey, hostKeyMessage, hostKeyName, knownKeyTypes, readKnownHosts } from './host-keys.ts';
export {
  type BatchJob,
  type Host,
  headOf,
  type Inventory,
  type LauncherName,
  launcherSchema,
  type SchedulerName,
  schedulerSchema,
  withHead,
  writtenInventorySchema,
} from './inventory-schema.ts';
export { type LabPrograms, labDown, labStatus, labUp } from './lab/lifecycle.ts';
export { areRootless, LAB_LINK, LAB_NETWORK, type LabSpec, labHosts, labSpec } from './lab/spec.ts';
export { cpuSeconds, rootlessLabCpu } from './lab/user-namespace.ts';
export { loadInventory, parseInventory } from './load-inventory.ts';
export { sshConfigHosts } from './ssh-config.ts';
export { resolveTarget, type SshTarget } from './ssh-target.ts';
