/* Bins of keys. The window moves when it is empty, to the least key beyond it. */
#include "bins.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

static void bin_add(struct bin *b, uint32_t vertex)
{
    if (b->count == b->room) {
        uint64_t room = b->room * 2 + 64;
        b->vertex = take_more(b->vertex, b->count * sizeof *b->vertex, room * sizeof *b->vertex);
        b->room = room;
    }
    b->vertex[b->count++] = vertex;
}

void bins_open(struct bins *b, double width, double (*key_of)(const void *owner, uint32_t vertex), const void *owner)
{
    *b = (struct bins){.per_width = 1 / width, .first = BINS, .key_of = key_of, .owner = owner};
}

void bins_restart(struct bins *b, double base)
{
    for (uint32_t k = 0; k < BINS; k++) b->bin[k].count = 0;
    b->beyond.count = 0;
    b->base = base;
    b->first = BINS;
}

void bins_close(struct bins *b)
{
    for (int k = 0; k < BINS; k++) free(b->bin[k].vertex);
    free(b->beyond.vertex);
}

void bins_put(struct bins *b, uint32_t vertex, double key)
{
    double place = key * b->per_width - b->base;
    if (!(place < BINS)) {
        bin_add(&b->beyond, vertex);
        return;
    }
    uint32_t k = place > 0 ? (uint32_t)place : 0;
    if (k < b->first) b->first = k;
    bin_add(&b->bin[k], vertex);
}

/* The least key in a bin, after those from `end` on, who wait elsewhere, are gone from it. */
static double clear_bin(const struct bins *b, struct bin *bin, double end)
{
    double least = INFINITY;
    uint64_t n = 0;
    for (uint64_t i = 0; i < bin->count; i++) {
        double key = b->key_of(b->owner, bin->vertex[i]);
        if (!(key * b->per_width - b->base < end)) continue;
        least = fmin(least, key);
        bin->vertex[n++] = bin->vertex[i];
    }
    bin->count = n;
    return least;
}

/* What has come nearer since is in a bin already, and may be met twice. */
static void move_window(struct bins *b, double least)
{
    struct bin beyond = b->beyond;
    b->base = floor(least * b->per_width);
    b->beyond = (struct bin){0};
    b->first = BINS;
    for (uint64_t i = 0; i < beyond.count; i++) {
        double key = b->key_of(b->owner, beyond.vertex[i]);
        if (key < INFINITY) bins_put(b, beyond.vertex[i], key);
    }
    free(beyond.vertex);
}

double bins_least(struct bins *b)
{
    for (; b->first < BINS; b->first++) {
        double least = clear_bin(b, &b->bin[b->first], b->first + 1);
        if (least < INFINITY) return least;
    }
    return clear_bin(b, &b->beyond, INFINITY);
}

double bins_end(const struct bins *b, double key)
{
    double place = key * b->per_width, end = floor(place) + 1;
    return end > place ? end : nextafter(place, INFINITY);
}

void bins_take(struct bins *b, double end, struct bin *out)
{
    out->count = 0;
    while (b->first < BINS && b->bin[b->first].count == 0) b->first++;
    if (b->first == BINS && b->beyond.count > 0) {
        double least = clear_bin(b, &b->beyond, INFINITY);
        if (least * b->per_width < end) move_window(b, least);
    }
    if (b->first == BINS || !(b->base + b->first < end)) return;
    struct bin full = b->bin[b->first];
    b->bin[b->first] = *out;
    *out = full;
}
