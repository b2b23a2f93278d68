/* Follows the chains of parents from the root outwards, without trusting any level. */
#ifndef G500_CHAINS_H
#define G500_CHAINS_H

#include "claims.h"

/* Vertices that have a parent but do not hang from the root, whole graph. */
uint64_t chains_astray(const struct claims *c, int lane, struct search_key key);

#endif
