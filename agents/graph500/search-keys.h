/* Search keys (specification 2.0, section 5): random, without repetition, degree >= 1 without self-loops. */
#ifndef G500_SEARCH_KEYS_H
#define G500_SEARCH_KEYS_H

#include "graph.h"
#include "relabel.h"

/* The same keys on every rank and for every number of ranks; the first n of m keys are the n keys. */
void choose_search_keys(struct graph *g, const struct layout *l, const struct numbering *n, uint32_t wanted);

#endif
