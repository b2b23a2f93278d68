/* Writes JSON (RFC 8259) to a stream; a key of NULL writes an array's element. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool follows; /* a value stands before, at this depth */
};

void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
/* NULL writes null; bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);
void json_flag(struct json *json, const char *key, bool flag);
/* A count above 2^53 is written as a string, since JavaScript's numbers lose digits there. */
void json_count(struct json *json, const char *key, uint64_t count);
/* Always a string: a time in nanoseconds passes 2^53 sooner or later. */
void json_nanos(struct json *json, const char *key, uint64_t nanos);
/* Infinities and NaN write null. */
void json_number(struct json *json, const char *key, double number);
void json_null(struct json *json, const char *key);
/* Ends the document with a newline; false when the stream failed. */
bool json_end(struct json *json);

#endif
