/* Keeps of a text what a terminal only shows: RFC 3629 sequences that are no control characters. */
#include "printable.h"

#include <stdbool.h>
#include <string.h>

int utf8_sequence(const unsigned char *at, uint32_t *point)
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

void copy_printable(char *to, size_t size, const char *from)
{
    char *end = to + size - 1;
    for (const unsigned char *at = (const unsigned char *)from; *at;) {
        uint32_t point = 0;
        int length = utf8_sequence(at, &point), kept = length;
        char shown = length == 0 ? '?' : ' ';
        bool whole = length > 0 && point >= 0x20 && (point < 0x7f || point >= 0xa0);
        if (!whole) kept = 1;
        if (end - to < kept) break;
        memcpy(to, whole ? (const char *)at : &shown, (size_t)kept);
        to += kept;
        at += length ? length : 1;
    }
    *to = '\0';
}
