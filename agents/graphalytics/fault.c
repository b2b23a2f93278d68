/* The sentences about bad lines: file, line, what stands there, what is wanted. */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 };

static const char *const sentences[] = {
    [LINE_TOO_LONG] = "the line is longer than any of a graph; is this a text file?",
    [NOT_A_VERTEX] = "this is not a vertex; write one id per line, a whole number from 0 to 9223372036854775807.",
    [VERTEX_ID_RANGE] = "the id is out of range; write a whole number from 0 to 9223372036854775807.",
    [VERTEX_ORDER] = "the id is smaller than the one before; sort the vertex file by number.",
    [VERTEX_TWICE] = "the vertex is listed twice; list each once.",
    [NOT_AN_EDGE] = "this is not an edge; write two vertex ids and, in a weighted file, a weight.",
    [EDGE_CUT_OFF] = "the file ends in the middle of this line; copy it again.",
    [EDGE_ID_RANGE] = "an id is out of range; write whole numbers from 0 to 9223372036854775807.",
    [SELF_LOOP] = "the edge joins a vertex to itself; leave it out.",
    [LARGER_FIRST] = "an undirected edge stands once, with the smaller id first.",
    [NO_WEIGHT] = "the weight is missing; add it, or say --weighted false.",
    [BAD_WEIGHT] = "the weight must be a finite number, 0 or more.",
    [THIRD_COLUMN] = "there is more than two ids; say --weighted true if it is a weight.",
    [UNKNOWN_END] = "an end of this edge is not in the vertex file; add it there, or leave the edge out.",
    [EDGE_TWICE] = "the edge is listed twice; list it once.",
};

/* Counts lines up to the fault and copies the one that it is in, as far as it is shown and printable. */
static uint64_t look_up(const char *path, uint64_t offset, char line[SHOWN + 4])
{
    char buffer[64 << 10];
    uint64_t number = 1, left = offset;
    FILE *f = fopen(path, "r");
    line[0] = '\0';
    if (!f) return 0;
    while (left > 0) {
        size_t got = fread(buffer, 1, left < sizeof buffer ? (size_t)left : sizeof buffer, f);
        if (got == 0) break;
        for (const char *p = buffer; (p = memchr(p, '\n', (size_t)(buffer + got - p))); p++) number++;
        left -= got;
    }
    size_t n = 0;
    for (int c; n < SHOWN + 1 && (c = fgetc(f)) != EOF && c != '\n' && c != '\r';)
        line[n++] = (char)(c >= ' ' && c < 127 ? c : '?');
    strcpy(line + (n > SHOWN ? SHOWN : n), n > SHOWN ? "..." : "");
    fclose(f);
    return number;
}

/* The offset in the upper bits, so that the largest of the complements is the earliest. */
int fault_said(struct net *net, const char *path, struct fault mine)
{
    uint64_t first = mine.kind == NO_FAULT ? 0 : ~(mine.offset << 8 | (uint64_t)mine.kind);
    net_max(net, &first, 1);
    if (first == 0) return 0;
    if (net->rank == 0) {
        char line[SHOWN + 4];
        uint64_t number = look_up(path, ~first >> 8, line);
        fprintf(stderr, "%s: %s, line %" PRIu64 ", '%s': %s\n", program_invocation_short_name, path, number, line,
                sentences[~first & 255]);
    }
    return 1;
}
