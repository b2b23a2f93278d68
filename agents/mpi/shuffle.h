/* Items of one width that each rank has for every other: all of them at once. */
#ifndef PREDICT_MPI_SHUFFLE_H
#define PREDICT_MPI_SHUFFLE_H
#include <stddef.h>
#include <stdint.h>

#include "net.h"

struct shuffled {
    void *data;       /* what came, by rank of the sender; the caller frees it */
    uint64_t *counts; /* items from each rank */
    uint64_t total;
};

/* `data` holds counts[0] items for rank 0, then counts[1] for rank 1, ... Call on all ranks. */
struct shuffled shuffle(struct net *net, const void *data, const uint64_t *counts, size_t width);
void shuffled_free(struct shuffled *s);

/* Replies to what came: one item of `width` per item, in the order in which it was asked for. `answers` is ordered as
   asked->data; `replies` gets one for each item of the question, ordered as that one was. */
void shuffle_back(struct net *net, const struct shuffled *asked, const void *answers, const uint64_t *question_counts,
                  void *replies, size_t width);

/* Arranges items by rank: order[k] is the place, among items by rank, of item k; counts are filled. */
void order_by_rank(const uint32_t *rank_of, uint64_t count, int ranks, uint64_t *counts, uint64_t *order);

#endif
