#include "edge-lines.h"

int edge_lines_open(struct edge_lines *l, const char *path, int share, int shares)
{
    l->at = l->block.to = NULL;
    l->fault = (struct fault){NO_FAULT, 0};
    return text_open(&l->text, path, share, shares);
}

void edge_lines_close(struct edge_lines *l) { text_close(&l->text); }

/* One line: NO_FAULT and past it, or what is wrong with it. */
static inline enum fault_kind read_edge(const char **at, int directed, int weighted, struct edge *e)
{
    const char *p = skip_blanks(*at);
    int tail = read_id(&p, &e->tail);
    if (tail > 0 && *p != ' ' && *p != '\t') return NOT_AN_EDGE;
    if (tail > 0) p = skip_blanks(p);
    int head = tail > 0 ? read_id(&p, &e->head) : 1;
    if (tail < 0 || head < 0) return EDGE_ID_RANGE;
    if (tail == 0 || head == 0) return *p == '-' && p[1] >= '0' && p[1] <= '9' ? EDGE_ID_RANGE : NOT_AN_EDGE;
    if (weighted) {
        const char *past = skip_blanks(p);
        if (*past == '\n' || *past == '\r') return NO_WEIGHT;
        if (past == p) return NOT_AN_EDGE;
        p = past;
        int is_weight = read_weight(&p, &e->weight);
        if (is_weight <= 0) return is_weight < 0 ? BAD_WEIGHT : NOT_AN_EDGE;
    }
    const char *next = end_line(p);
    if (!next) return !weighted && (*p == ' ' || *p == '\t') ? THIRD_COLUMN : NOT_AN_EDGE;
    if (e->tail == e->head) return SELF_LOOP;
    if (!directed && e->tail > e->head) return LARGER_FIRST;
    *at = next;
    return NO_FAULT;
}

static void note(struct edge_lines *l, enum fault_kind kind)
{
    const struct block *b = &l->block;
    int last = b->cut && next_line(l->at) == b->to;
    if (last && (kind == NOT_AN_EDGE || kind == NO_WEIGHT)) kind = EDGE_CUT_OFF;
    fault_note(&l->fault, kind, b->offset + (uint64_t)(l->at - b->from));
}

/* False at the end of the share. */
static int next_block(struct edge_lines *l)
{
    if (!text_next(&l->text, &l->block)) return 0;
    l->at = l->block.from;
    if (l->block.too_long) fault_note(&l->fault, LINE_TOO_LONG, l->block.offset);
    return !l->block.too_long;
}

uint64_t edge_lines_read(struct edge_lines *l, struct edge *edges, uint64_t room)
{
    uint64_t n = 0;
    int directed = l->directed, weighted = l->weighted;
    while (n < room && l->fault.kind == NO_FAULT && (l->at < l->block.to || next_block(l))) {
        const char *p = l->at, *to = l->block.to;
        enum fault_kind kind = NO_FAULT;
        while (n < room && p < to && kind == NO_FAULT) {
            kind = read_edge(&p, directed, weighted, &edges[n]);
            n += kind == NO_FAULT;
        }
        l->at = p;
        if (kind != NO_FAULT) note(l, kind);
    }
    return n;
}
