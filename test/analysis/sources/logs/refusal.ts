import { expect } from 'vitest';
import { PredictError } from '../../../../base/errors.ts';

/** The message with which something is refused, without the name of the test's folder. */
export async function refusal(refused: Promise<unknown>, folder = ''): Promise<string> {
  const thrown: unknown = await refused.then(
    () => expect.fail('nothing was refused'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof PredictError)) throw thrown;
  expect(thrown.kind).toBe('badInput');
  return folder === '' ? thrown.message : thrown.message.replaceAll(`${folder}/`, '');
}
