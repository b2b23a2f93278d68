import { PredictError } from '../../../base/errors.ts';

/** A run that left nothing to explain: no sampler, or no phases that the model knows. It is passed over, not a fault. */
export function nothingToExplain(message: string): PredictError {
  return new PredictError(message, { kind: 'badInput', details: { nothingToExplain: true } });
}

export function isNothingToExplain(error: unknown): error is PredictError {
  return error instanceof PredictError && error.details.nothingToExplain === true;
}
