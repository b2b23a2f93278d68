/* Lists with the weights of their edges, the lightest edge first. */
#ifndef GA_BY_WEIGHT_H
#define GA_BY_WEIGHT_H

#include "graph.h"

/* Puts each of the lists, and the weights with it, into that order. */
void sort_by_weight(const struct lists *l, uint32_t size, double *weight);

/* The edges of `l` from index `first` on by their other end: a list per own vertex, sorted, in new memory. */
struct lists turn_by_weight(const struct graph *g, uint32_t first, double **weight);

#endif
