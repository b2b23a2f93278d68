/* The loaded graph on disk, one part per rank (parts.h), named by the content of the files that it came from. */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "graph.h"
#include "load.h"

/* What both files hold: sums over all of their bytes, and their lengths. */
struct content {
    uint64_t sum[2], bytes[2];
};

/* Each rank reads its share of the bytes; false where a file cannot be read. */
int content_of(struct content *c, struct net *net, const struct files *files);

/* True when every rank has found its part whole; then the graph is filled. Call on all ranks. */
int cache_load(struct graph *g, const char *dir, const struct content *c, int directed, int weighted);

/* Returns on how many ranks the part could not be written; nothing else depends on it. */
int cache_save(const struct graph *g, const char *dir, const struct content *c);

#endif
