export { describeAllocation } from './describe-allocation.ts';
export { expectedS } from './expected-time.ts';
export { hasLinkRate, LinkSteps } from './link-steps.ts';
export { withAllocation } from './request.ts';
export { requireMpi } from './require-mpi.ts';
export { JobTerm } from './term.ts';
