import { setUp } from '../setup/set-up.ts';
import { note, printJson } from './print.ts';

export async function setup({ json }: { readonly json?: boolean }): Promise<void> {
  const result = await setUp(note, { everything: true });
  if (json) printJson(result);
}
