/* Loading: vertices, edges, numbers, lists. The first two are traced as loading, the others as construction. */
#include "load.h"

#include <stdlib.h>

#include "phases.h"

static int load(struct loading *l, struct trace *trace)
{
    struct mark m = trace_begin(trace);
    if (!vertices_read(l) || !edges_read(l)) return 0;
    m = trace_end(trace, m, LOAD);
    if (!number_vertices(l) || !build_adjacency(l)) return 0;
    trace_end(trace, m, CONSTRUCT);
    return 1;
}

int load_graph(struct graph *g, const struct files *files, int weights, struct trace *trace)
{
    struct loading l = {.graph = g, .files = files, .heads = {.weighted = weights}};
    g->directed = files->directed;
    g->weighted = weights;
    int fine = load(&l, trace);
    edge_list_free(&l.heads);
    edge_list_free(&l.tails);
    numbers_free(&l.numbers);
    free(l.ends);
    free(l.index);
    return fine;
}
