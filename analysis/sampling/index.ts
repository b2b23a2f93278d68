export { type SamplingError, samplingAccuracy } from './accuracy.ts';
