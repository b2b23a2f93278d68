/* The constructed graph on disk, one file per rank. */
#ifndef G500_CACHE_H
#define G500_CACHE_H

#include "graph.h"

/* True when every rank has found its part whole; then the graph is filled. Call on all ranks. */
int cache_load(struct graph *g, const char *dir, uint32_t keys);

/* Returns on how many ranks the part could not be written; nothing else depends on it. */
int cache_save(const struct graph *g, const char *dir);

#endif
