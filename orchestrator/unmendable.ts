import { PredictError } from '../base/errors.ts';

/** What keeps every run from starting until somebody mends it: the sweep ends with it, and no cell is tried again. */
export class Unmendable extends PredictError {}
