import { setUp } from '../setup/set-up.ts';
import type { Switches } from './flags.ts';
import { note, printJson } from './print.ts';

export async function setup({ json }: Switches): Promise<void> {
  const result = await setUp(note, { everything: true });
  if (json) printJson(result);
}
