import { expect } from 'vitest';
import { PredictError } from '../../../base/errors.ts';

/** The message with which `act` refuses its input. */
export function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(PredictError);
    if (error instanceof PredictError) {
      expect(error.kind).toBe('badInput');
      return error.message;
    }
  }
  return expect.fail('nothing was refused');
}
