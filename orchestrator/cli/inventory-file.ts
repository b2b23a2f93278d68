import { existsSync } from 'node:fs';
import { badInput } from '../../base/index.ts';

/** What an inventory is called that is found without being named. */
const USUAL = 'cluster.yaml';

/** The inventory of a command: as its flag says, else PREDICT_INVENTORY, else cluster.yaml here; undefined without any. */
export function inventoryFile(
  flag: string | undefined,
  { PREDICT_INVENTORY: named = '' }: Readonly<NodeJS.ProcessEnv> = process.env,
): string | undefined {
  return flag ?? (named || (existsSync(USUAL) ? USUAL : undefined));
}

/** As `inventoryFile`. Errors: `badInput` without any. */
export function requireInventory(flag: string | undefined): string {
  const file = inventoryFile(flag);
  if (file !== undefined) return file;
  throw badInput(
    `No inventory is given: name one with --inventory FILE or PREDICT_INVENTORY, or write ${USUAL} here (docs/inventory.md).`,
  );
}
