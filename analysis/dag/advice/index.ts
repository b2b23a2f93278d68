export { meanProcessing, type NextStep, nextStep } from './next-step.ts';
