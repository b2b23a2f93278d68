/* The tree as the ranks that must check it need it. */
#ifndef G500_TREE_H
#define G500_TREE_H

#include "bfs.h"

/* A tree edge (parent p, child v) is known on two ranks: where the adjacency entry p -> v lives, and
   where v -> p lives; an input edge may have either direction. */
struct tree {
    uint8_t *row_level, *col_level; /* of the row block and of the column block */
    uint32_t *row_parent;           /* per row-block vertex: its parent if in this column block, else NO_PARENT */
    uint32_t *col_parent;           /* per column-block vertex: its parent if in this row block, else NO_PARENT */
};

void tree_spread(struct tree *t, const struct bfs *b, const uint8_t *levels);
void tree_free(struct tree *t, const struct bfs *b);

#endif
