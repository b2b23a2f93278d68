/* What ranks know of each other's components while they look for those of the whole graph (wcc.c). */
#ifndef GA_COMPONENTS_H
#define GA_COMPONENTS_H

#include "job.h"
#include "join.h"

/* A vertex of another rank that a part here reaches, and what its owner knows of this part. */
struct reach {
    uint32_t part, place; /* among the peer's vertices that are copies here, or one of enum giants + their number */
    uint64_t told;
};

/* Places behind those of copies: the receiver's giant, and what it has of the sender's. */
enum giants { YOURS, MINE, GIANTS };

struct components {
    uint32_t *part;   /* per index, for part_of */
    uint32_t *lowest; /* for join_here */
    uint32_t largest; /* the rank's giant, as join_here names it */
    uint32_t least;   /* the busy vertex with the smallest ordinal */

    uint32_t *roots; /* own parts with an edge */
    uint32_t root_count;
    uint64_t *label;  /* per part: ordinal in the upper half, place in the lower */
    uint64_t *before; /* per part: label before this superstep */
    uint32_t *first;  /* per rank: place of its first vertex; places go on by index. ranks + 1 */
    uint64_t falls;   /* labels that fell since the last sum */

    uint32_t *touched;       /* of a rank's ghosts, those with an edge that was looked at */
    struct reach *reaches;   /* by rank */
    uint64_t *reaches_start; /* ranks + 1 */
    uint32_t *giant_of;      /* per rank: the part here that its giant is in, or NO_INDEX */
    uint32_t *outside;       /* own vertices outside the giant, in ascending order */
    uint32_t outside_count;
    uint64_t *is_outside; /* per index, as a bit */
    struct message *out, *in;
};

static inline void fall(struct components *c, uint32_t part, uint64_t label)
{
    if (label >= c->label[part]) return;
    c->label[part] = label;
    c->falls++;
}

/* Joins parts here that reach one giant elsewhere, gives every part its first label, and lists what is to be told. */
void giants_link(struct job *j);

/* Bytes of a message that tells so many vertices and a giant their labels. */
size_t labels_room(uint32_t vertices);

/* One superstep of labels, with its reduction; 0 once no rank's labels fell any more. Call on all ranks. */
int labels_fall(struct job *j);

#endif
