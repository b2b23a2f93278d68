/* SHA-256 as FIPS 180-4 gives it. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 64 };

/* The digest of `data` in lower-case hex digits, NUL-terminated. */
void sha256_hex(const void *data, size_t length, char hex[SHA256_HEX + 1]);

#endif
