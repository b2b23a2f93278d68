/* A text file in slices: each rank gets blocks of the whole lines that begin in its own share of the bytes. */
#ifndef GA_TEXT_H
#define GA_TEXT_H
#include <stddef.h>
#include <stdint.h>

#include "net.h"

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

/* This rank's slice, or with `whole` all of the file. False where it cannot be read: errno tells. */
int text_open(struct text *t, const char *path, const struct net *net, int whole);
/* False at the end of the slice. */
int text_next(struct text *t, struct block *b);
void text_close(struct text *t);

/* A whole number at `p`: 1 and past it, 0 where there is none (p stays), -1 where it is beyond 2^63-1. */
static inline int read_id(const char **p, uint64_t *out)
{
    const char *c = *p;
    uint64_t n = 0;
    unsigned digit;
    for (; (digit = (unsigned)(*c - '0')) < 10; c++) {
        if (n >= 922337203685477580u && (n > 922337203685477580u || digit > 7)) return -1;
        n = n * 10 + digit;
    }
    *out = n;
    int any = c != *p;
    *p = c;
    return any;
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
