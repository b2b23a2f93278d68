/* A text file in shares: who has one gets blocks of the whole lines that begin in it. */
#ifndef GA_TEXT_H
#define GA_TEXT_H
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *path;
    int fd;
    uint64_t size;    /* of the file */
    uint64_t at, end; /* next byte to read; lines that begin at `end` or later are others' */
    char *buffer;
};

/* Lines of one block: they begin at `from`, the last ends with a newline before `to`. */
struct block {
    const char *from, *to;
    uint64_t offset; /* of `from` in the file */
    int too_long;    /* the line at `from` is longer than a block: nothing else is told */
    int cut;         /* the last line has no newline in the file */
};

/* One of as many shares as there are. False where the file cannot be read: errno tells. */
int text_open(struct text *t, const char *path, int share, int shares);
/* False at the end of the share. */
int text_next(struct text *t, struct block *b);
void text_close(struct text *t);

/* The number that stands at `p` in at most eight digits; `count` gets how many. The bytes are weighed in parallel, the
   first one the lowest: D. Lemire, "Quickly parsing eight digits", 2018. Reads eight bytes, whatever they are. */
static inline uint64_t read_eight(const char *p, int *count)
{
    uint64_t x = 0, least = 0x000000ff000000ff;
    for (int k = 0; k < 8; k++) x |= (uint64_t)(uint8_t)p[k] << 8 * k;
    x ^= 0x3030303030303030;
    uint64_t others = (x | (x + 0x7676767676767676)) & 0x8080808080808080;
    *count = others ? __builtin_ctzll(others) / 8 : 8;
    if (*count == 0) return 0;
    x <<= 64 - 8 * *count;
    x = x * 10 + (x >> 8);
    return ((x & least) * 0x000f424000000064 + ((x >> 16) & least) * 0x0000271000000001) >> 32;
}

/* A whole number at `p`: 1 and past it, 0 where there is none (p stays), -1 where it is beyond 2^63-1. */
static inline int read_id(const char **p, uint64_t *out)
{
    int count;
    uint64_t n = read_eight(*p, &count);
    const char *c = *p + count;
    unsigned digit;
    for (; count >= 8 && (digit = (unsigned)(*c - '0')) < 10; c++, count++) {
        if (count >= 18 && (n > 922337203685477580u || (n == 922337203685477580u && digit > 7))) return -1;
        n = n * 10 + digit;
    }
    *out = n;
    *p = c;
    return count > 0;
}

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

/* Past the line's end, carriage return included; NULL where something else stands there. */
static inline const char *end_line(const char *p)
{
    p = skip_blanks(p);
    if (*p == '\r') p++;
    return *p == '\n' ? p + 1 : NULL;
}

static inline const char *next_line(const char *p)
{
    while (*p != '\n') p++;
    return p + 1;
}

/* A finite number >= 0 as strtod reads decimals, without names or hexadecimals. 1, 0 (none), or -1 (negative, not
   finite). */
int read_weight(const char **p, double *out);

#endif
