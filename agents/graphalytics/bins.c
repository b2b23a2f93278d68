/* Bins of distances. The window moves when it is empty, to the least distance beyond it. */
#include "bins.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

void bin_add(struct bin *b, uint32_t vertex)
{
    if (b->count == b->room) {
        uint64_t room = b->room * 2 + 64;
        b->vertex = take_more(b->vertex, b->count * sizeof *b->vertex, room * sizeof *b->vertex);
        b->room = room;
    }
    b->vertex[b->count++] = vertex;
}

void bins_open(struct bins *b, double width)
{
    *b = (struct bins){.width = width, .per_width = 1 / width, .first = BINS};
}

void bins_restart(struct bins *b)
{
    b->base = 0;
    b->first = BINS;
}

void bins_close(struct bins *b)
{
    for (int k = 0; k < BINS; k++) free(b->bin[k].vertex);
    free(b->beyond.vertex);
}

/* Distances below the window go to its first bin: taken next, as they must be. */
void bins_put(struct bins *b, uint32_t vertex, double distance)
{
    double place = distance * b->per_width - b->base;
    if (!(place < BINS)) {
        bin_add(&b->beyond, vertex);
        return;
    }
    uint32_t k = place > 0 ? (uint32_t)place : 0;
    if (k < b->first) b->first = k;
    bin_add(&b->bin[k], vertex);
}

static double least_beyond(const struct bins *b, const double *distance)
{
    double least = INFINITY;
    for (uint64_t i = 0; i < b->beyond.count; i++) least = fmin(least, distance[b->beyond.vertex[i]]);
    return least;
}

/* What has come nearer since is in a bin already, and may be met twice. */
static void move_window(struct bins *b, const double *distance)
{
    struct bin beyond = b->beyond;
    b->base = floor(least_beyond(b, distance) * b->per_width);
    b->beyond = (struct bin){0};
    b->first = BINS;
    for (uint64_t i = 0; i < beyond.count; i++) bins_put(b, beyond.vertex[i], distance[beyond.vertex[i]]);
    free(beyond.vertex);
}

double bins_least(struct bins *b, const double *distance)
{
    while (b->first < BINS && b->bin[b->first].count == 0) b->first++;
    if (b->first < BINS) return (b->base + b->first) * b->width;
    return least_beyond(b, distance);
}

void bins_take(struct bins *b, double limit, const double *distance, struct bin *out)
{
    out->count = 0;
    while (b->first < BINS && b->bin[b->first].count == 0) b->first++;
    if (b->first == BINS && b->beyond.count > 0 && least_beyond(b, distance) < limit) move_window(b, distance);
    if (b->first == BINS || !((b->base + b->first) * b->width < limit)) return;
    struct bin full = b->bin[b->first];
    b->bin[b->first] = *out;
    *out = full;
}
