/* Search keys (Graph500 specification 2.0, section 5), drawn by going through all labels in a keyed random order.
   For each of a batch of candidates only the owner knows whether it has edges; it claims those that do with one 64-bit
   number (rank in the upper half, number in the piece in the lower, plus one), the others leave 0, and the maximum over
   all ranks tells everybody. */
#include "search-keys.h"

#include "memory.h"
#include "random.h"

enum { STREAM_KEYS = 3, BATCH = 256 };

/* 0, or owner and local number plus one, if this rank owns the vertex and it has edges. */
static uint64_t claim(const struct graph *g, const struct layout *l, const struct numbering *n, uint64_t label)
{
    if (!in_span(l->row, upper_of(l, label)) || !in_span(l->col, lower_of(l, label))) return 0;
    uint32_t at = n->row[row_index(l, label)];
    if (at == NO_VERTEX) return 0;
    return ((uint64_t)g->net->rank << 32 | (at - g->row_start[g->net->col])) + 1;
}

void choose_search_keys(struct graph *g, const struct layout *l, const struct numbering *n, uint32_t wanted)
{
    /* Candidates in the order of a second keyed bijection: random, and every vertex comes once. */
    struct bijection order = bijection_make(g->seed, STREAM_KEYS, l->scale);
    uint64_t vertices = (uint64_t)1 << l->scale;
    uint32_t found = 0;
    if (wanted > vertices) wanted = (uint32_t)vertices;
    g->keys = take(((size_t)wanted + 1) * sizeof *g->keys);
    uint64_t first = 0;
    for (; first < vertices && found < wanted; first += BATCH) {
        uint64_t claims[BATCH] = {0};
        int count = vertices - first < BATCH ? (int)(vertices - first) : BATCH;
        for (int i = 0; i < count; i++) claims[i] = claim(g, l, n, bijection_apply(&order, first + (uint64_t)i));
        net_max(g->net, claims, count);
        for (int i = 0; i < count && found < wanted; i++) {
            if (claims[i] == 0) continue;
            g->keys[found++] = (struct search_key){bijection_apply(&order, first + (uint64_t)i),
                                                   (uint32_t)((claims[i] - 1) >> 32), (uint32_t)(claims[i] - 1)};
        }
    }
    g->key_count = found;
    g->keys_exhausted = found < wanted || found == vertices;
}
