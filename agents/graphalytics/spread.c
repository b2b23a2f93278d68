/* Which vertices changed, for the ranks that have copies, with their values or without. A message names them by their
   places among the copies (halo.c): as a list of 32-bit places where they are few, else as a set (pieces.h).
     4 bytes  a number for the rank; not in messages with values
     4 bytes  how many places are listed, or LARGE and the set's bytes; where nothing is told the message ends before
     ...      the list or the set, then the values in its order

   halo_tell sums the ranks' numbers without a reduction. A reduction has log2 P latencies behind each other, and a rank
   that is told nothing would have to know that before: here one latency is on the longest path of a superstep, and no
   message is empty. From some hundred ranks on, posting P - 1 messages takes longer than a reduction. */
#include <stdlib.h>
#include <string.h>

#include "halo.h"
#include "pieces.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

enum { FEW = 64 }; /* a list, where fewer than one in so many are told */

static const uint32_t LARGE = (uint32_t)1 << 31;

struct heading {
    uint32_t number, names;
};

/* The bits of a word that stand where the mask has some, one next to the other. */
static inline uint64_t pick(uint64_t word, uint64_t mask)
{
    uint64_t picked = 0;
    if (mask == ~(uint64_t)0) return word;
    for (uint64_t left = word & mask; left; left &= left - 1)
        picked |= (uint64_t)1 << __builtin_popcountll(mask & ((left & -left) - 1));
    return picked;
}

#define PICK_ALL(pick_word)                                          \
    do {                                                             \
        uint64_t held = 0;                                           \
        unsigned have = 0;                                           \
        for (uint32_t w = 0; w < words; w++) {                       \
            uint64_t picked = pick_word(bits[w], mask[w]);           \
            unsigned more = (unsigned)__builtin_popcountll(mask[w]); \
            held |= picked << have % 64;                             \
            have += more;                                            \
            if (have < 64) continue;                                 \
            *to++ = held;                                            \
            have -= 64;                                              \
            held = have ? picked >> (more - have) : 0;               \
        }                                                            \
        if (have) *to = held;                                        \
    } while (0)

static void pick_plain(const uint64_t *bits, const uint64_t *mask, uint32_t words, uint64_t *to) { PICK_ALL(pick); }

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("bmi2,popcnt"))) static void pick_fast(const uint64_t *bits, const uint64_t *mask, uint32_t words,
                                                             uint64_t *to)
{
    PICK_ALL(_pext_u64);
}

static void pick_by_mask(const uint64_t *bits, const uint64_t *mask, uint32_t words, uint64_t *to)
{
    if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) pick_fast(bits, mask, words, to);
    else pick_plain(bits, mask, words, to);
}
#else
static void pick_by_mask(const uint64_t *bits, const uint64_t *mask, uint32_t words, uint64_t *to)
{
    pick_plain(bits, mask, words, to);
}
#endif

/* Of a set of own vertices those that the rank has copies of, by their places. */
static void pick_copies(const struct halo *h, int rank, const uint64_t *bits, uint64_t *to)
{
    const struct graph *g = h->graph;
    const uint32_t *copy = g->copy + g->copy_start[rank];
    uint32_t copies = copies_of(g, rank);
    if (h->mask[rank]) {
        pick_by_mask(bits, h->mask[rank], (uint32_t)words_for(g->busy), to);
        return;
    }
    memset(to, 0, words_for(copies) * sizeof *to);
    for (uint32_t k = 0; k < copies; k++) to[k / 64] |= (uint64_t)bit_get(bits, copy[k]) << (k % 64);
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

/* Both return where the message ends. */
static char *write_list(struct heading *head, const uint32_t *copy, uint32_t copies, struct own_set told,
                        const void *values, size_t width)
{
    uint32_t *places = (uint32_t *)(head + 1), n = 0;
    for (uint64_t k = 0; k < told.count; k++) {
        places[n] = place_of(copy, copies, told.list[k]);
        n += places[n] != NO_INDEX;
    }
    if (n == 0) return (char *)&head->names;
    head->names = n;
    char *at = (char *)(places + n);
    for (uint32_t k = 0; k < n && width; k++) at = put_value(at, values, copy[places[k]], width);
    return at;
}

static char *write_set(struct halo *h, int rank, const uint64_t *bits, const void *values, size_t width)
{
    const uint32_t *copy = h->graph->copy + h->graph->copy_start[rank];
    uint32_t words = (uint32_t)words_for(copies_of(h->graph, rank));
    struct heading *head = h->out[rank].data;
    uint64_t *picked = width ? h->set : (uint64_t *)(head + 1);
    pick_copies(h, rank, bits, picked);
    struct message set = piece_encode(picked, words, 0, h->encoded);
    if (set.bytes == 0) return (char *)&head->names;
    head->names = LARGE | (uint32_t)set.bytes;
    if (set.data != head + 1) memcpy(head + 1, set.data, set.bytes);
    char *at = (char *)(head + 1) + set.bytes;
    for (uint32_t w = 0; w < words && width; w++)
        for (uint64_t left = picked[w]; left; left &= left - 1)
            at = put_value(at, values, copy[w * 64 + (uint32_t)__builtin_ctzll(left)], width);
    return at;
}

int halo_needs(const struct halo *h, uint64_t count)
{
    if (h->most == 0 || count == 0) return 0;
    return (count * FEW < h->most ? AS_LIST : 0) | (count * FEW >= h->least ? AS_BITS : 0);
}

/* Messages begin at `from` of the heading. */
static void exchange(struct halo *h, struct own_set told, const void *values, size_t width, size_t from, int only)
{
    const struct graph *g = h->graph;
    int here = g->net->rank;
    struct message out[g->net->ranks], in[g->net->ranks];
    for (int r = 0; r < g->net->ranks; r++) {
        if (r == here) continue;
        struct heading *head = h->out[r].data;
        uint32_t copies = copies_of(g, r);
        char *begin = (char *)head + from, *end = (char *)&head->names;
        if (copies > 0 && told.count * FEW < copies)
            end = write_list(head, g->copy + g->copy_start[r], copies, told, values, width);
        else if (copies > 0 && told.count > 0) end = write_set(h, r, told.bits, values, width);
        out[r] = (struct message){begin, only == EVERY_RANK || only == here ? (uint64_t)(end - begin) : NO_MESSAGE};
        in[r] = (struct message){(char *)h->in[r].data + from, NO_MESSAGE};
        if (only == EVERY_RANK || only == r) in[r].bytes = h->in[r].bytes - from;
    }
    net_exchange(g->net, ALONG_ALL, out, in);
    for (int r = 0; r < g->net->ranks; r++)
        if (r != here) h->in[r].bytes = in[r].bytes == NO_MESSAGE ? 0 : in[r].bytes + from;
}

/* What the rank told, or NULL. */
static const struct heading *told_by(const struct halo *h, int rank)
{
    return rank != h->graph->net->rank && h->in[rank].bytes > sizeof(uint32_t) ? h->in[rank].data : NULL;
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
    const struct heading *head = told_by(h, rank);
    if (!head) return;
    const uint32_t *places = (const uint32_t *)(head + 1);
    uint32_t first = g->ghost_start[rank], n = head->names & ~LARGE;
    if (!(head->names & LARGE)) {
        const char *at = (const char *)(places + n);
        for (uint32_t k = 0; k < n; k++) at = get_value(h, at, values, first + places[k], width);
        return;
    }
    uint32_t words = (uint32_t)words_for(g->ghost_count[rank]);
    const char *at = (const char *)(head + 1) + n;
    piece_decode((struct message){(void *)(uintptr_t)(head + 1), n}, h->set, words);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = h->set[w]; left; left &= left - 1)
            at = get_value(h, at, values, first + w * 64 + (uint32_t)__builtin_ctzll(left), width);
}

static void read_all(struct halo *h, void *values, size_t width)
{
    h->arrived_count = 0;
    for (int r = 0; r < h->graph->net->ranks; r++) read_message(h, r, values, width);
}

void halo_spread(struct halo *h, const uint32_t *changed, uint64_t count, void *values, size_t width)
{
    h->arrived_count = 0;
    if (h->graph->net->ranks == 1) return;
    int as_bits = halo_needs(h, count) & AS_BITS;
    halo_prepare(h, width + 1, width + 1, 64);
    for (uint64_t k = 0; k < count && as_bits; k++) bit_set(h->marks, changed[k]);
    exchange(h, (struct own_set){changed, h->marks, count}, values, width, offsetof(struct heading, names), EVERY_RANK);
    for (uint64_t k = 0; k < count && as_bits; k++) h->marks[changed[k] / 64] = 0;
    read_all(h, values, width);
}

uint64_t halo_tell(struct halo *h, struct own_set told, uint64_t number, int only)
{
    const struct net *net = h->graph->net;
    uint32_t mine = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    uint64_t sum = mine;
    if (net->ranks == 1) return sum;
    halo_prepare(h, 1, 1, 64);
    for (int r = 0; r < net->ranks; r++) ((struct heading *)h->out[r].data)->number = mine;
    exchange(h, told, NULL, 0, 0, only);
    for (int r = 0; r < net->ranks; r++)
        if (r != net->rank && h->in[r].bytes > 0) sum += ((const struct heading *)h->in[r].data)->number;
    return sum;
}

void halo_take_list(struct halo *h) { read_all(h, NULL, 0); }

void halo_take_bits(struct halo *h, uint64_t *bits)
{
    const struct graph *g = h->graph;
    for (int r = 0; r < g->net->ranks; r++) {
        const struct heading *head = told_by(h, r);
        const uint32_t *places = (const uint32_t *)(head + 1);
        uint64_t *to = bits + g->ghost_start[r] / 64;
        uint32_t words = (uint32_t)words_for(g->ghost_count[r]), n = head ? head->names & ~LARGE : 0;
        if (head && head->names & LARGE) {
            piece_decode((struct message){(void *)(uintptr_t)(head + 1), n}, to, words);
            continue;
        }
        memset(to, 0, words * sizeof *to);
        for (uint32_t k = 0; k < n; k++) bit_set(to, places[k]);
    }
}
