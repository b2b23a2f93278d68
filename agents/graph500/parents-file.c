/* Each rank sends rank 0 what it owns; a rank's labels are ranges of lower halves, one for each upper half. */
#define _DEFAULT_SOURCE
#include "parents-file.h"

#include <endian.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { TAG = 78 };

static void place(const struct layout *l, int rank, const int64_t *own, int64_t *all)
{
    struct span upper = layout_upper_span(l, rank / l->side), lower = layout_lower_span(l, rank % l->side);
    for (uint64_t a = 0; a < upper.count; a++)
        for (uint64_t b = 0; b < lower.count; b++)
            all[(upper.first + a) << l->lower_bits | (lower.first + b)] = (int64_t)htole64((uint64_t)*own++);
}

static uint64_t labels_of(const struct layout *l, int rank)
{
    return layout_upper_span(l, rank / l->side).count * layout_lower_span(l, rank % l->side).count;
}

/* Of the own labels a number each, which are freed. */
static void add(FILE *f, const struct graph *g, int64_t *own)
{
    const struct layout *l = &g->layout;
    const struct net *net = g->net;
    uint64_t labels = (uint64_t)1 << l->scale;
    if (net->rank > 0) {
        MPI_Send(own, (int)layout_own_size(l), MPI_INT64_T, 0, TAG, MPI_COMM_WORLD);
        free(own);
        return;
    }
    int64_t *all = take(labels * sizeof *all);
    place(l, 0, own, all);
    free(own);
    for (int rank = 1; rank < net->ranks; rank++) {
        int64_t *theirs = take((labels_of(l, rank) + 1) * sizeof *theirs);
        MPI_Recv(theirs, (int)labels_of(l, rank), MPI_INT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        place(l, rank, theirs, all);
        free(theirs);
    }
    fwrite(all, sizeof *all, labels, f);
    free(all);
}

void parents_file_add(FILE *f, const struct bfs *b)
{
    uint64_t count = layout_own_size(&b->graph->layout);
    int64_t *own = take((count + 1) * sizeof *own);
    for (uint64_t i = 0; i < count; i++) own[i] = bfs_parent(b, i);
    add(f, b->graph, own);
}

void distances_file_add(FILE *f, const struct sssp *s)
{
    const struct graph *g = s->tree->graph;
    uint64_t count = layout_own_size(&g->layout);
    int64_t *own = take((count + 1) * sizeof *own);
    for (uint64_t i = 0; i < count; i++) {
        double distance = s->result[i];
        memcpy(&own[i], &distance, sizeof distance);
    }
    add(f, g, own);
}
