/* The five rules of the Graph500 specification 3.0, section 8, on the generated edge list, on all ranks.
     1 the parents form a tree that hangs from the root: no cycle, every chain ends there
     2 every tree edge joins levels one apart, or distances as far apart as an input edge of the two weighs
     3 every input edge joins levels at most one apart, or distances at most its weight
     4 the tree spans the root's component: no input edge leaves it
     5 every tree edge is an input edge
   Levels or distances are those the search claims. If rule 2 holds everywhere and the root alone has level 0, levels
   fall along every chain of parents, which proves rule 1; else the chains are followed one by one. So they are where an
   edge weighs nothing. Distances are compared as kernel 3 adds them, in single precision (sssp.c): rules 2 to 4 then
   hold for shortest paths alone. The edges of the list are made once for several searches, which wait for it. */
#ifndef G500_VALIDATE_H
#define G500_VALIDATE_H

#include "claims.h"

enum { RULES = 5 };

struct verdict {
    uint64_t broken[RULES + 1]; /* offences against rule r, whole graph */
    uint64_t edges;             /* edges of the list, self-loops and repeats among them, in the tree */
};

struct validation {
    struct claims claims;
    struct search_key keys[LANES];
    struct verdict verdicts[LANES]; /* of the searches that wait; valid after validation_check */
    int waiting;
};

/* `searches` tells how many will be validated in all. */
void validation_open(struct validation *v, const struct graph *g, int searches, enum kernel kernel);

/* Takes a copy of what a search claims: parents, and levels as claimed_levels gives them or distances alike. True when
   no further one fits. */
int validation_add(struct validation *v, const struct bfs *b, struct search_key key, const void *values);

/* Judges all that wait, into verdicts[0 .. the number returned). */
int validation_check(struct validation *v);

void validation_close(struct validation *v);

const char *rule_text(enum kernel kernel, int rule);

#endif
