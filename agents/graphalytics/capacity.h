/* Whether a graph can be held, before anything is loaded. */
#ifndef GA_CAPACITY_H
#define GA_CAPACITY_H

#include "job.h"
#include "load.h"

/* False on all ranks: `error` holds one sentence. Call on all ranks. */
int capacity_suffices(struct net *net, const struct files *files, const struct algorithm *algorithm, int threads,
                      char error[256]);

#endif
