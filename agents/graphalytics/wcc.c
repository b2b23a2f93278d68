/* Weakly connected components: on each rank by union and find, then between ranks by labels.

   A rank joins its own vertices and ghosts along its edges; most of the largest component is found by one neighbour
   each, where there are hubs, or else by two, so that its other edges are passed over (M. Sutton, T. Ben-Nun, A.
   Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS'18), those to ghosts too
   (giants.c). What is joined has a label: ordinal and place of its smallest vertex. In each superstep ranks tell
   labels that fell to those with an edge that only labels can join, the owner of a label that was given up gets the
   better one, and every label is exchanged for what its own vertex has by then: so labels run along trees, not paths
   (Y. Zhang, A. Azad, Z. Hu, "FastSV", SIAM PP'20). The result is the smallest ordinal of each component. */
#include <stdlib.h>

#include "components.h"
#include "memory.h"
#include "team.h"

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state = take_zero(sizeof *c);
    size_t all = (size_t)g->all + 1, own = (size_t)g->own + 1, ranks = (size_t)g->net->ranks;
    c->part = take(all * sizeof *c->part);
    c->part[0] = 0; /* of a rank without vertices */
    c->lowest = take(own * sizeof *c->lowest);
    c->touched = take((all - g->ghosts_from) * sizeof *c->touched);
    c->roots = take(own * sizeof *c->roots);
    c->label = take(own * sizeof *c->label);
    c->before = take(own * sizeof *c->before);
    c->outside = take(own * sizeof *c->outside);
    c->is_outside = take((words_for(g->all) + 1) * sizeof *c->is_outside);
    c->giant_of = take(ranks * sizeof *c->giant_of);
    c->reaches = take((all - g->ghosts_from + ranks * GIANTS) * sizeof *c->reaches);
    c->reaches_start = take((ranks + 1) * sizeof *c->reaches_start);
    c->out = take_zero(ranks * sizeof *c->out);
    c->in = take_zero(ranks * sizeof *c->in);
    for (int r = 0; r < (int)ranks; r++) {
        c->out[r].data = take(labels_room(g->ghost_count[r]));
        c->in[r].data = take(labels_room(copies_of(g, r)));
    }
    c->first = take_zero((ranks + 1) * sizeof *c->first);
    for (size_t r = 0; r < ranks; r++) c->first[r + 1] = c->first[r] + g->own_of[r];
    j->label = take(own * sizeof *j->label);
    for (uint32_t v = 0; v < g->busy; v++) {
        uint32_t u = degree_of(&g->in, v) > 0 ? g->in.to[g->in.ptr[v]] : v;
        c->lowest[v] = u < v ? u : v;
        if (g->ordinal[v] < g->ordinal[c->least]) c->least = v;
    }
}

static void close(struct job *j)
{
    struct components *c = j->state;
    for (int r = 0; r < j->graph->net->ranks; r++) {
        free(c->out[r].data);
        free(c->in[r].data);
    }
    free(c->out);
    free(c->in);
    free(c->part);
    free(c->lowest);
    free(c->touched);
    free(c->roots);
    free(c->label);
    free(c->before);
    free(c->outside);
    free(c->is_outside);
    free(c->giant_of);
    free(c->reaches);
    free(c->reaches_start);
    free(c->first);
    free(c);
    free(j->label);
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t superstep = 0;
    superstep_begins(j, superstep);
    c->falls = 0;
    c->largest = join_here(g, c->lowest, c->part, c->outside, &c->outside_count);
    giants_link(j);
    while (g->net->ranks > 1) {
        int fell = labels_fall(j);
        superstep_begins(j, ++superstep);
        if (!fell) break;
    }
    uint32_t largest = (uint32_t)(c->label[part_of(c->part, c->largest)] >> 32);
#pragma omp parallel for schedule(static) if (team_size() > 1)
    for (uint32_t v = 0; v < g->busy; v++) j->label[v] = largest;
    for (uint32_t k = 0; k < c->outside_count; k++)
        j->label[c->outside[k]] = (uint32_t)(c->label[part_of(c->part, c->outside[k])] >> 32);
    for (uint32_t v = g->busy; v < g->own; v++) j->label[v] = g->ordinal[v];
    phase_ends(j, COMPUTE);
    j->supersteps = superstep + 1;
}

const struct algorithm wcc = {.name = "wcc", .kind = LABELS, .open = open, .run = run, .close = close};
