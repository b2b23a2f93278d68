/* A rank and a peer number what one has copies of by the order of copy[] and of the ghosts: both are the same. Messages
   have a value each in that numbering; those of changed values only are in spread.c. */
#include "halo.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Own vertices that the rank has copies of, as bits, where that takes no more memory than the list of them. */
static uint64_t *mask_of(const struct graph *g, int rank)
{
    if ((uint64_t)copies_of(g, rank) * sizeof *g->copy < words_for(g->own) * sizeof(uint64_t)) return NULL;
    uint64_t *mask = take_zero((words_for(g->own) + 1) * sizeof *mask);
    for (uint32_t k = g->copy_start[rank]; k < g->copy_start[rank + 1]; k++) bit_set(mask, g->copy[k]);
    return mask;
}

void halo_open(struct halo *h, const struct graph *g)
{
    size_t ranks = (size_t)g->net->ranks;
    uint32_t most = 0;
    *h = (struct halo){.graph = g,
                       .out = take_zero(ranks * sizeof *h->out),
                       .in = take_zero(ranks * sizeof *h->in),
                       .out_room = take_zero(ranks * sizeof *h->out_room),
                       .in_room = take_zero(ranks * sizeof *h->in_room),
                       .mask = take_zero(ranks * sizeof *h->mask),
                       .least = UINT32_MAX};
    for (int r = 0; r < (int)ranks; r++) {
        uint32_t copies = copies_of(g, r);
        if (copies > h->most) h->most = copies;
        if (copies > 0 && copies < h->least) h->least = copies;
        if (copies > 0) h->mask[r] = mask_of(g, r);
        if (g->ghost_count[r] > most) most = g->ghost_count[r];
    }
    if (h->most > most) most = h->most;
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
        free(h->mask[r]);
    }
    free(h->mask);
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

void halo_prepare(struct halo *h, size_t per_copy, size_t per_ghost, size_t more)
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
    halo_prepare(h, width, 0, 0);
    struct message in[g->net->ranks];
    for (int r = 0; r < g->net->ranks; r++) {
        gather(h->out[r].data, values, g->copy + g->copy_start[r], copies_of(g, r), width);
        h->out[r].bytes = copies_of(g, r) * width;
        in[r] = (struct message){(char *)values + g->ghost_start[r] * width, g->ghost_count[r] * width};
    }
    net_exchange(g->net, ALONG_ALL, h->out, in);
}

void halo_collect(struct halo *h, uint64_t *values)
{
    const struct graph *g = h->graph;
    if (g->net->ranks == 1) return;
    halo_prepare(h, sizeof *values, sizeof *values, 0);
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
