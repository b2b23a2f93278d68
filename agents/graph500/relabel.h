/* The second numbering: vertices by falling degree within each owner's piece. */
#ifndef G500_RELABEL_H
#define G500_RELABEL_H

#include "graph.h"

#define NO_VERTEX UINT32_MAX

struct numbering {
    uint32_t *row, *col; /* first number -> second number in the block, or NO_VERTEX; may be one array */
};

/* `ends`: edge ends held by this rank per row-block vertex. Fills own_of, row_start, col_start and,
   on a grid, own_degree. */
struct numbering number_by_degree(struct graph *g, const struct layout *l, const uint32_t *ends);

void numbering_free(struct numbering *n);

#endif
