/* A rank and a peer number what one has copies of by the order of copy[] and of the ghosts: both are the same. A
   message of changed values names them in that numbering, as a list of 32-bit places where they are few, else as a set
   (pieces.h), and goes on with the values in that order. Its first word tells: places, or LARGE and the set's bytes. */
#include "halo.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pieces.h"

enum { FEW = 64 }; /* a list, where fewer than one in so many are told */

static const uint32_t LARGE = (uint32_t)1 << 31;

void halo_open(struct halo *h, const struct graph *g)
{
    size_t ranks = (size_t)g->net->ranks;
    uint32_t most = 0;
    *h = (struct halo){.graph = g,
                       .out = take_zero(ranks * sizeof *h->out),
                       .in = take_zero(ranks * sizeof *h->in),
                       .out_room = take_zero(ranks * sizeof *h->out_room),
                       .in_room = take_zero(ranks * sizeof *h->in_room)};
    for (int r = 0; r < (int)ranks; r++) {
        if (copies_of(g, r) > most) most = copies_of(g, r);
        if (g->ghost_count[r] > most) most = g->ghost_count[r];
    }
    h->marks = take_zero((words_for(g->own) + 1) * sizeof *h->marks);
    h->set = take((words_for(most) + 1) * sizeof *h->set);
    h->encoded = take((words_for(most) + 1) * sizeof *h->set);
    h->arrived = take(((size_t)g->all - g->ghosts_from + 1) * sizeof *h->arrived);
}

void halo_close(struct halo *h)
{
    for (int r = 0; r < h->graph->net->ranks; r++) {
        free(h->out[r].data);
        free(h->in[r].data);
    }
    free(h->out);
    free(h->in);
    free(h->out_room);
    free(h->in_room);
    free(h->marks);
    free(h->set);
    free(h->encoded);
    free(h->arrived);
}

/* Room for a message that is made or comes; old contents are of no use. */
static void make_room(struct message *m, size_t *room, size_t bytes)
{
    if (bytes <= *room) return;
    free(m->data);
    m->data = take(bytes);
    *room = bytes;
}

/* Room for every message, for `out` bytes per copy and `in` bytes per ghost. */
static void prepare(struct halo *h, size_t per_copy, size_t per_ghost, size_t more)
{
    const struct graph *g = h->graph;
    for (int r = 0; r < g->net->ranks; r++) {
        size_t in = g->ghost_count[r] * per_ghost + more;
        make_room(&h->out[r], &h->out_room[r], copies_of(g, r) * per_copy + more);
        make_room(&h->in[r], &h->in_room[r], in);
        h->out[r].bytes = 0;
        h->in[r].bytes = in;
    }
}

#define COPY_VALUES(type)                                            \
    do {                                                             \
        const type *from = values;                                   \
        type *to = out;                                              \
        for (uint32_t k = 0; k < count; k++) to[k] = from[which[k]]; \
    } while (0)

static void gather(void *out, const void *values, const uint32_t *which, uint32_t count, size_t width)
{
    if (width == sizeof(uint64_t)) COPY_VALUES(uint64_t);
    else COPY_VALUES(uint32_t);
}

void halo_fill(struct halo *h, void *values, size_t width)
{
    const struct graph *g = h->graph;
    if (g->net->ranks == 1) return;
    prepare(h, width, 0, 0);
    struct message in[g->net->ranks];
    for (int r = 0; r < g->net->ranks; r++) {
        gather(h->out[r].data, values, g->copy + g->copy_start[r], copies_of(g, r), width);
        h->out[r].bytes = copies_of(g, r) * width;
        in[r] = (struct message){(char *)values + g->ghost_start[r] * width, g->ghost_count[r] * width};
    }
    net_exchange(g->net, ALONG_ALL, h->out, in);
}

/* The place of an own vertex among a rank's copies, or NO_INDEX. */
static uint32_t place_of(const uint32_t *copy, uint32_t count, uint32_t v)
{
    uint32_t low = 0;
    for (uint32_t n = count; n > 0;) {
        uint32_t half = n / 2;
        if (copy[low + half] < v) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low < count && copy[low] == v ? low : NO_INDEX;
}

static char *put_value(char *to, const void *values, uint32_t v, size_t width)
{
    memcpy(to, (const char *)values + v * width, width);
    return to + width;
}

static void write_list(struct message *m, const uint32_t *copy, uint32_t copies, const uint32_t *changed,
                       uint64_t count, const void *values, size_t width)
{
    uint32_t *head = m->data, n = 0;
    for (uint64_t k = 0; k < count; k++) {
        uint32_t place = place_of(copy, copies, changed[k]);
        if (place != NO_INDEX) head[1 + n++] = place;
    }
    if (n == 0) return;
    head[0] = n;
    char *at = (char *)(head + 1 + n);
    for (uint32_t k = 0; k < n && width; k++) at = put_value(at, values, copy[head[1 + k]], width);
    m->bytes = (uint64_t)(at - (char *)m->data);
}

static void write_set(struct halo *h, struct message *m, const uint32_t *copy, uint32_t copies, const void *values,
                      size_t width)
{
    uint32_t *head = m->data, words = (uint32_t)words_for(copies);
    memset(h->set, 0, words * sizeof *h->set);
    for (uint32_t k = 0; k < copies; k++) h->set[k / 64] |= (uint64_t)bit_get(h->marks, copy[k]) << (k % 64);
    struct message set = piece_encode(h->set, words, 0, h->encoded);
    if (set.bytes == 0) return;
    head[0] = LARGE | (uint32_t)set.bytes;
    memcpy(head + 1, set.data, set.bytes);
    char *at = (char *)(head + 1) + set.bytes;
    for (uint32_t w = 0; w < words && width; w++)
        for (uint64_t left = h->set[w]; left; left &= left - 1)
            at = put_value(at, values, copy[w * 64 + (uint32_t)__builtin_ctzll(left)], width);
    m->bytes = (uint64_t)(at - (char *)m->data);
}

static const char *get_value(struct halo *h, const char *from, void *values, uint32_t v, size_t width)
{
    h->arrived[h->arrived_count++] = v;
    if (width) memcpy((char *)values + v * width, from, width);
    return from + width;
}

static void read_message(struct halo *h, int rank, void *values, size_t width)
{
    const struct graph *g = h->graph;
    if (h->in[rank].bytes == 0) return;
    const uint32_t *head = h->in[rank].data;
    uint32_t first = g->ghost_start[rank], n = head[0] & ~LARGE;
    if (!(head[0] & LARGE)) {
        const char *at = (const char *)(head + 1 + n);
        for (uint32_t k = 0; k < n; k++) at = get_value(h, at, values, first + head[1 + k], width);
        return;
    }
    uint32_t words = (uint32_t)words_for(g->ghost_count[rank]);
    const char *at = (const char *)(head + 1) + n;
    memcpy(h->encoded, head + 1, n);
    piece_decode((struct message){h->encoded, n}, h->set, words);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = h->set[w]; left; left &= left - 1)
            at = get_value(h, at, values, first + w * 64 + (uint32_t)__builtin_ctzll(left), width);
}

void halo_spread(struct halo *h, const uint32_t *changed, uint64_t count, void *values, size_t width)
{
    const struct graph *g = h->graph;
    h->arrived_count = 0;
    if (g->net->ranks == 1) return;
    prepare(h, width + 1, width + 1, 64);
    int few = count * FEW < g->own;
    for (uint64_t k = 0; k < count && !few; k++) bit_set(h->marks, changed[k]);
    for (int r = 0; r < g->net->ranks && count > 0; r++) {
        if (r == g->net->rank) continue;
        const uint32_t *copy = g->copy + g->copy_start[r];
        if (few && count * FEW < copies_of(g, r))
            write_list(&h->out[r], copy, copies_of(g, r), changed, count, values, width);
        else if (few)
            for (uint64_t k = 0; k < count; k++) bit_set(h->marks, changed[k]);
        if (!few || count * FEW >= copies_of(g, r)) write_set(h, &h->out[r], copy, copies_of(g, r), values, width);
    }
    for (uint64_t k = 0; k < count; k++) h->marks[changed[k] / 64] = 0;
    net_exchange(g->net, ALONG_ALL, h->out, h->in);
    for (int r = 0; r < g->net->ranks; r++)
        if (r != g->net->rank) read_message(h, r, values, width);
}

void halo_collect(struct halo *h, uint64_t *values)
{
    const struct graph *g = h->graph;
    if (g->net->ranks == 1) return;
    prepare(h, sizeof *values, sizeof *values, 0);
    struct message out[g->net->ranks], in[g->net->ranks];
    for (int r = 0; r < g->net->ranks; r++) {
        out[r] = (struct message){values + g->ghost_start[r], g->ghost_count[r] * sizeof *values};
        in[r] = (struct message){h->out[r].data, copies_of(g, r) * sizeof *values};
    }
    net_exchange(g->net, ALONG_ALL, out, in);
    for (int r = 0; r < g->net->ranks; r++) {
        const uint64_t *came = in[r].data;
        for (uint32_t k = 0; k < copies_of(g, r) && r != g->net->rank; k++)
            values[g->copy[g->copy_start[r] + k]] += came[k];
    }
}

void halo_trade(struct halo *h, float *values, const double *sums)
{
    const struct graph *g = h->graph;
    for (int r = 0; r < g->net->ranks; r++) {
        uint32_t copies = copies_of(g, r), ghosts = g->ghost_count[r];
        size_t bytes = ((size_t)copies + ghosts) * sizeof *values;
        make_room(&h->out[r], &h->out_room[r], bytes);
        make_room(&h->in[r], &h->in_room[r], bytes);
        h->out[r].bytes = h->in[r].bytes = bytes;
        float *to = h->out[r].data;
        gather(to, values, g->copy + g->copy_start[r], copies, sizeof *values);
        for (uint32_t k = 0; k < ghosts; k++) to[copies + k] = (float)sums[g->ghost_start[r] - g->ghosts_from + k];
    }
    net_exchange(g->net, ALONG_ALL, h->out, h->in);
    for (int r = 0; r < g->net->ranks; r++)
        if (g->ghost_count[r] > 0)
            memcpy(values + g->ghost_start[r], h->in[r].data, g->ghost_count[r] * sizeof *values);
}

void halo_add(const struct halo *h, double scale, double *values)
{
    const struct graph *g = h->graph;
    for (int r = 0; r < g->net->ranks; r++) {
        const float *came = h->in[r].data;
        for (uint32_t k = 0; k < copies_of(g, r); k++)
            values[g->copy[g->copy_start[r] + k]] += scale * (double)came[g->ghost_count[r] + k];
    }
}
