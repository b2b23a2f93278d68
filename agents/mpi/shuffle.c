/* All to all exchanges with lengths that only the sender knows. Numbers of items fit MPI's int: callers go in batches.
 */
#include "shuffle.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Byte counts and places for MPI_Alltoallv. */
struct lanes {
    int *counts, *places;
    uint64_t items;
};

static struct lanes lanes_of(const uint64_t *counts, int ranks, size_t width)
{
    struct lanes l = {take((size_t)ranks * sizeof(int)), take((size_t)ranks * sizeof(int)), 0};
    for (int r = 0; r < ranks; r++) {
        if ((l.items + counts[r]) * width > INT32_MAX) out_of_memory((l.items + counts[r]) * width);
        l.counts[r] = (int)(counts[r] * width);
        l.places[r] = (int)(l.items * width);
        l.items += counts[r];
    }
    return l;
}

static void lanes_free(struct lanes *l)
{
    free(l->counts);
    free(l->places);
}

static void exchange(struct net *net, const void *data, const uint64_t *out, void *room, const uint64_t *in,
                     size_t width)
{
    struct lanes from = lanes_of(out, net->ranks, width), to = lanes_of(in, net->ranks, width);
    MPI_Alltoallv(data, from.counts, from.places, MPI_BYTE, room, to.counts, to.places, MPI_BYTE, MPI_COMM_WORLD);
    net->bytes_sent += (from.items - out[net->rank]) * width;
    lanes_free(&from);
    lanes_free(&to);
}

struct shuffled shuffle(struct net *net, const void *data, const uint64_t *counts, size_t width)
{
    struct shuffled s = {.counts = take((size_t)net->ranks * sizeof(uint64_t))};
    MPI_Alltoall(counts, 1, MPI_UINT64_T, s.counts, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    net->bytes_sent += (uint64_t)(net->ranks - 1) * sizeof *counts;
    for (int r = 0; r < net->ranks; r++) s.total += s.counts[r];
    s.data = take((s.total + 1) * width);
    exchange(net, data, counts, s.data, s.counts, width);
    return s;
}

void shuffled_free(struct shuffled *s)
{
    free(s->data);
    free(s->counts);
}

void shuffle_back(struct net *net, const struct shuffled *asked, const void *answers, const uint64_t *question_counts,
                  void *replies, size_t width)
{
    exchange(net, answers, asked->counts, replies, question_counts, width);
}

void order_by_rank(const uint32_t *rank_of, uint64_t count, int ranks, uint64_t *counts, uint64_t *order)
{
    uint64_t next[ranks];
    memset(counts, 0, (size_t)ranks * sizeof *counts);
    for (uint64_t k = 0; k < count; k++) counts[rank_of[k]]++;
    uint64_t at = 0;
    for (int r = 0; r < ranks; r++) {
        next[r] = at;
        at += counts[r];
    }
    for (uint64_t k = 0; k < count; k++) order[k] = next[rank_of[k]]++;
}
