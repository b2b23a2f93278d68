export { type Allocation, allocation, allocationOf } from './allocation.ts';
export { checkHostKey, type HostKeyVerdict, knownKeyTypes } from './check-host-key.ts';
export { type Draft, type DraftHost, draftInventory } from './draft.ts';
export { expandHosts } from './expand-hosts.ts';
export { headOf, withHead } from './head.ts';
export { hostKeyMessage, hostKeyName } from './host-key-message.ts';
export {
  type Host,
  type Inventory,
  type LauncherName,
  launcherSchema,
  writtenInventorySchema,
} from './inventory-schema.ts';
export { fingerprint, readKnownHosts } from './known-hosts.ts';
export { loadInventory, parseInventory } from './load-inventory.ts';
export { sshConfigHosts } from './ssh-config.ts';
export { resolveTarget, type SshTarget } from './ssh-target.ts';
