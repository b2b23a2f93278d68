/* JSON as it goes, with no tree in memory; only the depth's comma is remembered. */
#include "json.h"
#include "printable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        uint32_t point;
        int length = utf8_sequence(at, &point);
        if (length == 0) {
            fputs("\\ufffd", out);
            at++;
        } else if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at++);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\u%04x", (unsigned)*at++);
        } else {
            fwrite(at, 1, (size_t)length, out);
            at += length;
        }
    }
    fputc('"', out);
}

static void lead(struct json *json, const char *key)
{
    if (json->follows) fputc(',', json->out);
    json->follows = true;
    if (!key) return;
    write_quoted(json->out, key);
    fputc(':', json->out);
}

void json_open(struct json *json, const char *key, char bracket)
{
    lead(json, key);
    fputc(bracket, json->out);
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->follows = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
    lead(json, key);
    if (text) write_quoted(json->out, text);
    else fputs("null", json->out);
}

void json_flag(struct json *json, const char *key, bool flag)
{
    lead(json, key);
    fputs(flag ? "true" : "false", json->out);
}

void json_count(struct json *json, const char *key, uint64_t count)
{
    lead(json, key);
    fprintf(json->out, count > UINT64_C(1) << 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, count);
}

void json_nanos(struct json *json, const char *key, uint64_t nanos)
{
    lead(json, key);
    fprintf(json->out, "\"%" PRIu64 "\"", nanos);
}

void json_number(struct json *json, const char *key, double number)
{
    lead(json, key);
    if (isfinite(number)) fprintf(json->out, "%.12g", number);
    else fputs("null", json->out);
}

void json_null(struct json *json, const char *key) { json_text(json, key, NULL); }

bool json_end(struct json *json)
{
    fputc('\n', json->out);
    return fflush(json->out) == 0 && !ferror(json->out);
}
