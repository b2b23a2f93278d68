#include "set-values.h"

#include <string.h>

#include "pieces.h"

enum { HEAD = sizeof(uint64_t) }; /* the set behind it may be read in whole words */

size_t set_values_room(uint32_t words) { return HEAD + (size_t)words * (8 + 64 * sizeof(float)); }

void set_values_encode(const uint64_t *bits, uint32_t words, const float *values, struct message *out)
{
    uint8_t *at = (uint8_t *)out->data + HEAD;
    struct message set = piece_encode(bits, words, 0, at);
    uint64_t bytes = set.bytes;
    out->bytes = 0;
    if (bytes == 0) return;
    if (set.data != at) memcpy(at, set.data, bytes);
    memcpy(out->data, &bytes, sizeof bytes);
    at += bytes;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1, at += sizeof *values)
            memcpy(at, values + w * 64 + (uint32_t)__builtin_ctzll(left), sizeof *values);
    out->bytes = (uint64_t)(at - (uint8_t *)out->data);
}

const uint8_t *set_values_decode(struct message in, uint64_t *bits, uint32_t words)
{
    uint64_t bytes = 0;
    uint8_t *at = in.data;
    if (in.bytes > 0) memcpy(&bytes, at, sizeof bytes);
    piece_decode((struct message){at + HEAD, bytes}, bits, words);
    return at + HEAD + bytes;
}
