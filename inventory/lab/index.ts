export { labDown, labStatus, labUp } from './lifecycle.ts';
export { type LabSpec, labSpec } from './spec.ts';
