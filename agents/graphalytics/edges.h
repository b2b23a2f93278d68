/* Edges while a graph is loaded: two numbers each, in chunks that are freed as soon as lists hold them. */
#ifndef GA_EDGES_H
#define GA_EDGES_H
#include <stdint.h>

enum { CHUNK = 1 << 20 };

struct edge_chunk {
    uint32_t *tail, *head;
    double *weight; /* NULL without weights */
    uint32_t count;
};

struct edge_list {
    struct edge_chunk *chunks;
    uint32_t count, room;
    int weighted;
};

void edge_list_free(struct edge_list *l);

#endif
