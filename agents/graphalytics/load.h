/* From the text files to the distributed graph. */
#ifndef GA_LOAD_H
#define GA_LOAD_H

#include "edges.h"
#include "fault.h"
#include "graph.h"
#include "numbers.h"
#include "trace.h"

/* What the command line says of the files. */
struct files {
    const char *vertices, *edges;
    int directed;
    int weighted; /* the edge file has a third column */
};

/* What there is between the files and the graph. Own vertices are numbered by id, ghosts then as they are met. */
struct loading {
    struct graph *graph;
    const struct files *files;
    struct numbers numbers;
    struct edge_list heads; /* edges whose head is own (undirected: any end) */
    struct edge_list tails; /* directed, several ranks: edges whose tail is own */
    uint32_t *ends;         /* per own number: edge ends */
    uint32_t *index;        /* per number, once numbered: NO_INDEX where the id is no vertex */
    uint64_t unknown;       /* ends that are no vertices */
};

/* Fills the graph; false after a sentence about a bad line. `weights`: keep them, and lists for shortest paths only. */
int load_graph(struct graph *g, const struct files *files, int weights, struct trace *trace);

/* The steps; each false after a sentence. */
int vertices_read(struct loading *l);
int edges_read(struct loading *l);
int number_vertices(struct loading *l);
int build_adjacency(struct loading *l);

/* Where the first edge stands with an end that no vertex has, as far as this rank knows. Reads the whole file. */
struct fault find_unknown_end(const struct loading *l);
/* Where one of these edges (tail and head index, 32 bits each; the smaller first where undirected) stands again. */
struct fault find_repeat(const struct loading *l, uint64_t *edges, uint64_t count);

#endif
