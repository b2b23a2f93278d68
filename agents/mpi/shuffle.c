/* All to all exchanges with lengths that only the sender knows. */
#include "shuffle.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static void exchange(struct net *net, const void *data, const uint64_t *out, void *room, const uint64_t *in,
                     size_t width)
{
    struct message sent[net->ranks], come[net->ranks];
    char *from = (char *)(uintptr_t)data, *to = room;
    for (int r = 0; r < net->ranks; from += out[r] * width, to += in[r] * width, r++) {
        sent[r] = (struct message){from, out[r] > 0 ? out[r] * width : NO_MESSAGE};
        come[r] = (struct message){to, in[r] > 0 ? in[r] * width : NO_MESSAGE};
        if (r == net->rank && in[r] > 0) memcpy(to, from, in[r] * width);
    }
    struct message_log *log = net->log;
    net->log = NULL; /* one collective operation, to those who read messages */
    net_exchange(net, ALONG_ALL, sent, come);
    net->log = log;
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
