export {
  type CheckHostKeyOptions,
  checkHostKey,
  type HostKeyVerdict,
  knownKeyTypes,
  type RefusedKey,
} from './check-host-key.ts';
export { expandHosts } from './expand-hosts.ts';
export { hostKeyMessage, hostKeyName } from './host-key-message.ts';
export { fingerprint, type KnownHostsFile, readKnownHosts } from './known-hosts.ts';
export { type LoadInventoryOptions, loadInventory, parseInventory } from './load-inventory.ts';
export { type Host, type Inventory, inventoryFileSchema, type LauncherName, launcherSchema } from './schema.ts';
export { inventoryKeys } from './schema-keys.ts';
export { type ResolveTargetOptions, resolveTarget, type SshTarget } from './ssh-target.ts';
