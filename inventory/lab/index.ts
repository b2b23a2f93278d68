export { type LabPrograms, labDown, labStatus, labUp } from './lifecycle.ts';
export { LAB_NETWORK, type LabSpec, labHosts, labSpec } from './spec.ts';
