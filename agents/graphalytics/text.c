/* Reads slices in blocks that stay in the second-level cache. A line belongs to the share of the bytes that it begins
 * in, so each byte is parsed once. Behind a block's last newline the buffer holds a zero. */
#define _GNU_SOURCE
#include "text.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

enum { BLOCK = 256 << 10 };

/* Full reads, short only at the end of the file. */
static size_t read_at(const struct text *t, char *into, size_t bytes, uint64_t offset)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = pread(t->fd, into + got, bytes - got, (off_t)(offset + got));
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got;
}

/* The first line that begins at or after `offset`. */
static uint64_t line_from(struct text *t, uint64_t offset)
{
    if (offset == 0 || offset >= t->size) return offset;
    for (uint64_t at = offset - 1; at < t->size;) {
        size_t got = read_at(t, t->buffer, BLOCK, at);
        const char *newline = memchr(t->buffer, '\n', got);
        if (newline) return at + (uint64_t)(newline - t->buffer) + 1;
        if (got == 0) break;
        at += got;
    }
    return t->size;
}

int text_open(struct text *t, const char *path, int share, int shares)
{
    struct stat st;
    *t = (struct text){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (t->fd < 0 || fstat(t->fd, &st) != 0) return 0;
    t->size = (uint64_t)st.st_size;
    t->buffer = take(BLOCK + 64);
    uint64_t count = (uint64_t)shares, k = (uint64_t)share, rest = t->size % count;
    uint64_t first = t->size / count * k + (k < rest ? k : rest);
    t->end = line_from(t, first + t->size / count + (k < rest));
    t->at = line_from(t, first);
    return 1;
}

int text_next(struct text *t, struct block *b)
{
    if (t->at >= t->end) return 0;
    size_t left = t->end - t->at < BLOCK ? (size_t)(t->end - t->at) : BLOCK;
    size_t have = read_at(t, t->buffer, left, t->at);
    *b = (struct block){.from = t->buffer, .to = t->buffer, .offset = t->at};
    if (have < left) t->end = t->at + have; /* the file became shorter */
    if (have == 0) return 0;
    const char *newline = memrchr(t->buffer, '\n', have);
    size_t used = newline ? (size_t)(newline - t->buffer) + 1 : 0;
    if (t->at + have == t->end && used < have) { /* the file's last line, without a newline */
        t->buffer[have] = '\n';
        used = have + 1;
        t->at = t->end;
        b->cut = 1;
    } else if (used == 0) {
        b->too_long = 1;
        t->at = t->end;
    } else {
        t->at += used;
    }
    b->to = t->buffer + used;
    return 1;
}

void text_close(struct text *t)
{
    if (t->fd >= 0) close(t->fd);
    free(t->buffer);
}

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/* What is no run of digits with a point: the C library reads it, but for names and hexadecimals. */
static int read_other(const char **p, double *out)
{
    const char *digits = *p + (**p == '-' || **p == '+');
    char *end;
    if (!strncasecmp(digits, "inf", 3) || !strncasecmp(digits, "nan", 3)) return -1;
    if (digits[0] == '0' && (digits[1] | 32) == 'x') return 0;
    if (!strchr(".0123456789", *digits)) return 0;
    double x = strtod(*p, &end);
    if (end == *p) return 0;
    *p = end;
    *out = x;
    return isfinite(x) && x >= 0 ? 1 : -1;
}

/* Digits up to 2^53 over a power of ten up to 10^22 take one exact division (W. Clinger, "How to read floating point
   numbers accurately", PLDI'90). */
int read_weight(const char **p, double *out)
{
    const char *c = *p;
    uint64_t number, part = 0;
    int whole = read_id(&c, &number), digits = (int)(c - *p), places = 0;
    if (whole >= 0 && *c == '.') {
        const char *point = ++c;
        if (read_id(&c, &part) < 0) return read_other(p, out);
        places = (int)(c - point);
        digits += places;
    }
    if (whole < 0 || digits == 0 || digits > 18 || (*c | 32) == 'e') return read_other(p, out);
    number = number * (uint64_t)tens[places] + part;
    if (number > (uint64_t)1 << 53) return read_other(p, out);
    *out = (double)number / tens[places];
    *p = c;
    return 1;
}
