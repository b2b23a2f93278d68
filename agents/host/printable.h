/* Text of others that may reach a terminal. */
#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Copies the whole characters that fit: control characters (C0, DEL, C1) become a blank, bytes that are no UTF-8 a `?`.
 */
void copy_printable(char *to, size_t size, const char *from);

/* Bytes of the UTF-8 sequence (RFC 3629) that `at` begins with and its code point; 0 where it is none. */
int utf8_sequence(const unsigned char *at, uint32_t *point);

#endif
