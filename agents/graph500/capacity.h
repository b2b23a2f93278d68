/* Whether a graph can be held before anything is allocated. */
#ifndef G500_CAPACITY_H
#define G500_CAPACITY_H

/* False: `error` holds one sentence. The same answer on every rank of like hosts. */
int capacity_suffices(int scale, int edge_factor, int side, int kernels, char error[256]);

#endif
