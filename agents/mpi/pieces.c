/* Sets of vertices as messages; pieces.h has the format.
   The gaps are unsigned LEB128 numbers (DWARF 5, section 7.6): a list costs a byte for each set bit of a dense piece,
   up to five for one of a sparse piece. It is tried only when fewer bits are set than the bitmap has bytes, and given
   up as soon as it gets as long as the bitmap. */
#include "pieces.h"

#include <string.h>

#include "hot.h"

enum { NONE_HERE = 128 };

HOT uint64_t count_bits(const uint64_t *bits, uint32_t words)
{
    uint64_t n = 0;
    for (uint32_t w = 0; w < words; w++) n += (uint64_t)__builtin_popcountll(bits[w]);
    return n;
}

static uint8_t *put_gap(uint8_t *out, uint32_t gap)
{
    for (; gap >= 128; gap >>= 7) *out++ = (uint8_t)(gap | 128);
    *out++ = (uint8_t)gap;
    return out;
}

/* Length of the list, or 0 when it would not be shorter than `limit`. */
static uint32_t put_list(const uint64_t *bits, uint32_t words, uint8_t *room, uint32_t limit)
{
    uint8_t *out = room;
    uint32_t next = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            if ((uint32_t)(out - room) + 5 >= limit) return 0;
            uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(left);
            out = put_gap(out, at - next);
            next = at + 1;
        }
    return (uint32_t)(out - room);
}

struct message piece_encode(const uint64_t *bits, uint32_t words, uint64_t elsewhere, uint8_t *room)
{
    static uint8_t none_here = NONE_HERE; /* not in the room: pieces without vertices have none */
    uint32_t full = words * 8;
    uint64_t set = count_bits(bits, words);
    if (set == 0) return (struct message){&none_here, elsewhere};
    uint32_t listed = set < full ? put_list(bits, words, room, full) : 0;
    if (listed) return (struct message){room, listed};
    return (struct message){(void *)(uintptr_t)bits, full};
}

int piece_is_empty(struct message m) { return m.bytes == 0 || (m.bytes == 1 && *(const uint8_t *)m.data == NONE_HERE); }

static void add_list(const uint8_t *in, const uint8_t *end, uint64_t *bits)
{
    uint32_t next = 0;
    while (in < end) {
        uint32_t gap = 0;
        for (int shift = 0;; shift += 7) {
            uint8_t byte = *in++;
            gap |= (uint32_t)(byte & 127) << shift;
            if (byte < 128) break;
        }
        uint32_t at = next + gap;
        bits[at / 64] |= (uint64_t)1 << (at % 64);
        next = at + 1;
    }
}

void piece_decode_onto(struct message m, uint64_t *bits, uint32_t words)
{
    if (piece_is_empty(m)) return;
    if (m.bytes < (uint64_t)words * 8) {
        add_list(m.data, (uint8_t *)m.data + m.bytes, bits);
        return;
    }
    const uint64_t *from = m.data;
    for (uint32_t w = 0; w < words; w++) bits[w] |= from[w];
}

void piece_decode(struct message m, uint64_t *bits, uint32_t words)
{
    memset(bits, 0, (size_t)words * 8);
    piece_decode_onto(m, bits, words);
}
