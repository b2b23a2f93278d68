/* One algorithm on one graph, run once or several times: what it is told, and what it leaves. */
#ifndef GA_JOB_H
#define GA_JOB_H

#include "graph.h"
#include "halo.h"
#include "phases.h"

enum result_kind {
    HOPS,   /* depth: hops from the source; NO_INDEX: not reached */
    LABELS, /* label: the ordinal of a vertex */
    REALS,  /* real */
};

struct job {
    struct graph *graph;
    struct halo halo;
    struct trace *trace;
    struct mark mark; /* where the phase in progress began */
    int source_rank;  /* owner of the source, and its index there */
    uint32_t source;
    int iterations;
    double damping;

    enum result_kind kind;
    uint32_t *depth, *label; /* per own vertex, one of these three */
    double *real;
    uint64_t supersteps; /* of the last run; for PR and CDLP the iterations */
    void *state;         /* the algorithm's own, from open to close */
};

/* `open` takes what needs no graph to be walked; `run` is what is timed. */
struct algorithm {
    const char *name;
    enum result_kind kind;
    int needs_source, needs_weights;
    int thread_bytes; /* per index: of every thread but the first */
    int covers_cut;   /* works on the graph that cover.h makes */
    void (*open)(struct job *);
    void (*run)(struct job *);
    void (*close)(struct job *);
};

extern const struct algorithm bfs, pr, wcc, cdlp, lcc, sssp;

/* Ends the phase that began with the last one's end; `superstep_begins` starts the next superstep's. */
static inline void phase_ends(struct job *j, enum phase phase) { j->mark = trace_end(j->trace, j->mark, (int)phase); }
static inline void superstep_begins(struct job *j, uint64_t number) { trace_set(j->trace, SUPERSTEP, (int32_t)number); }

/* Sums in the order of ranks, so that a repetition gives the same. */
double job_sum(struct job *j, double mine);

#endif
