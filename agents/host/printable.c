/* Keeps of a text what a terminal only shows: RFC 3629 sequences that are no control characters. */
#include "printable.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that `at` begins with and its code point; 0 where it is none. */
static int sequence(const unsigned char *at, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = *at < 0x80 ? 1 : (*at & 0xe0) == 0xc0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : (*at & 0xf8) == 0xf0 ? 4 : 0;
    if (length < 2) {
        *point = *at;
        return length;
    }
    *point = *at & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        *point = *point << 6 | (at[i] & 0x3fu);
    }
    if (*point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000)) return 0;
    return length;
}

void make_printable(char *text)
{
    unsigned char *to = (unsigned char *)text;
    for (const unsigned char *at = to; *at;) {
        uint32_t point = 0;
        int length = sequence(at, &point);
        if (length == 0 || point < 0x20 || (point >= 0x7f && point < 0xa0)) {
            *to++ = length == 0 ? '?' : ' ';
            at += length ? length : 1;
            continue;
        }
        memmove(to, at, (size_t)length);
        to += length;
        at += length;
    }
    *to = '\0';
}
