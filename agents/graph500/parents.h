/* The last step of a search: every owner gets the parents of its vertices. */
#ifndef G500_PARENTS_H
#define G500_PARENTS_H

#include "bfs.h"

/* Volume sent per rank and search: a bitmap of the piece to q-1 peers, and as many bytes as the names of a column need
   for each vertex that another rank owns and this one discovered first. */
/* Takes the memory of the result. */
void open_parents(struct bfs *b);
void settle_parents(struct bfs *b, struct search_key key);

#endif
