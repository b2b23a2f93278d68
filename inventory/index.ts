export { checkHostKey, type HostKeyVerdict, knownKeyTypes } from './check-host-key.ts';
export { expandHosts } from './expand-hosts.ts';
export { headOf, withHead } from './head.ts';
export { hostKeyMessage, hostKeyName } from './host-key-message.ts';
export { fingerprint, readKnownHosts } from './known-hosts.ts';
export { loadInventory, parseInventory } from './load-inventory.ts';
export { type Host, type Inventory, type LauncherName, launcherSchema } from './schema.ts';
export { inventoryKeys } from './schema-keys.ts';
export { resolveTarget, type SshTarget } from './ssh-target.ts';
