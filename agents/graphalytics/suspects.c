/* Second looks at the edge file, to say in which line something is that only the whole graph told. */
#include <stdlib.h>

#include "load.h"
#include "memory.h"
#include "text.h"

/* The next edge of a block whose lines are known to be edges. */
static const char *ends_of(const char *line, uint64_t ends[2])
{
    const char *p = skip_blanks(line);
    read_id(&p, &ends[0]);
    p = skip_blanks(p);
    read_id(&p, &ends[1]);
    return next_line(p);
}

/* Who owns an id knows whether a vertex has it. */
static int is_unknown(const struct loading *l, uint64_t id)
{
    const struct net *net = l->graph->net;
    return owner_of(id_hash(id), net->ranks) == net->rank && number_of(&l->numbers, id) == NO_INDEX;
}

struct fault find_unknown_end(const struct loading *l)
{
    struct fault fault = {NO_FAULT, 0};
    struct text text;
    struct block b;
    if (!text_open(&text, l->files->edges, 0, 1)) return fault;
    while (fault.kind == NO_FAULT && text_next(&text, &b))
        for (const char *p = b.from, *line; line = p, p < b.to && fault.kind == NO_FAULT;) {
            uint64_t ends[2] = {0};
            p = ends_of(line, ends);
            if (is_unknown(l, ends[0]) || is_unknown(l, ends[1]))
                fault_note(&fault, UNKNOWN_END, b.offset + (uint64_t)(line - b.from));
        }
    text_close(&text);
    return fault;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t index_of(const struct loading *l, uint64_t id)
{
    uint32_t number = number_of(&l->numbers, id);
    return number == NO_INDEX ? NO_INDEX : l->index[number];
}

/* Whether the edge is one of these, and was seen before. */
static int is_second(const struct loading *l, const uint64_t ends[2], const uint64_t *edges, uint8_t *seen,
                     uint64_t count)
{
    uint64_t tail = index_of(l, ends[0]), head = index_of(l, ends[1]);
    uint64_t key = l->graph->directed || tail < head ? tail << 32 | head : head << 32 | tail;
    const uint64_t *found = bsearch(&key, edges, count, sizeof *edges, ascending);
    return found && seen[found - edges]++ > 0;
}

struct fault find_repeat(const struct loading *l, uint64_t *edges, uint64_t count)
{
    struct fault fault = {NO_FAULT, 0};
    struct text text;
    struct block b;
    if (count == 0 || !text_open(&text, l->files->edges, 0, 1)) return fault;
    uint64_t unique = 0;
    qsort(edges, count, sizeof *edges, ascending);
    for (uint64_t k = 0; k < count; k++)
        if (k == 0 || edges[k] != edges[unique - 1]) edges[unique++] = edges[k];
    uint8_t *seen = take_zero(unique);
    while (fault.kind == NO_FAULT && text_next(&text, &b))
        for (const char *p = b.from, *line; line = p, p < b.to && fault.kind == NO_FAULT;) {
            uint64_t ends[2] = {0};
            p = ends_of(line, ends);
            if (is_second(l, ends, edges, seen, unique))
                fault_note(&fault, EDGE_TWICE, b.offset + (uint64_t)(line - b.from));
        }
    free(seen);
    text_close(&text);
    return fault;
}
