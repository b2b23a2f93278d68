/* The lines of an edge file: one share of them after the other. */
#ifndef GA_EDGE_LINES_H
#define GA_EDGE_LINES_H

#include "fault.h"
#include "text.h"

struct edge {
    uint64_t tail, head;
    double weight;
};

struct edge_lines {
    struct text text;
    struct block block;
    const char *at; /* next line of the block */
    int directed, weighted;
    struct fault fault; /* the first of the share: nothing is read behind it */
};

/* One of as many shares as there are; false where the file cannot be read. */
int edge_lines_open(struct edge_lines *l, const char *path, int share, int shares);
/* The next edges, `room` at most; 0 once there are no more. */
uint64_t edge_lines_read(struct edge_lines *l, struct edge *edges, uint64_t room);
void edge_lines_close(struct edge_lines *l);

#endif
