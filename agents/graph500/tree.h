/* The tree as the ranks that must check it need it. */
#ifndef G500_TREE_H
#define G500_TREE_H

#include "bfs.h"

/* A tree edge (parent p, child v) is known where the adjacency entry v -> p lives: in v's grid column, in
   p's grid row. There every input edge between the two, in either direction, is in v's list of by_col. */
struct tree {
    uint8_t *row_level, *col_level; /* of the row block and of the column block */
    uint32_t *col_parent;           /* per column-block vertex: its parent if in this row block, else NO_PARENT; on a
                                   grid the root has none */
    uint64_t nowhere;               /* own vertices whose parent is no vertex: nobody can check their tree edge */
};

void tree_spread(struct tree *t, const struct bfs *b, struct search_key key, const uint8_t *levels);
void tree_free(struct tree *t, const struct bfs *b);

#endif
