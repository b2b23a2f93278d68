/* Arcs with weights, for kernel 3. */
#ifndef G500_ARCS_H
#define G500_ARCS_H

#include <string.h>

#include "edges.h"
#include "graph.h"
#include "relabel.h"

/* An arc in 64 bits: the weight's above, of the row-block vertex that it leads to below. Weights are not below 0, so
   arcs are in the order of their weights. */
static inline uint32_t arc_head(uint64_t arc) { return (uint32_t)arc; }

static inline float arc_weight(uint64_t arc)
{
    float weight;
    uint32_t bits = (uint32_t)(arc >> 32);
    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

static inline uint64_t arc_of(uint32_t head, float weight)
{
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return (uint64_t)bits << 32 | head;
}

/* Fills arc_ptr and arcs of the graph; the lists stay as they are. */
void arcs_build(struct graph *g, const struct numbering *n, const struct edge_list *input,
                const struct edge_list *mirror);

#endif
