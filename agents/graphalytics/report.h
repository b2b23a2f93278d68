/* What rank 0 prints of the runs, and the CSV of them. */
#ifndef GA_REPORT_H
#define GA_REPORT_H
#include <stdint.h>
#include <stdio.h>

#include "options.h"
#include "degree-counts.h"

struct timed_run {
    double seconds;
    uint64_t iterations, bytes_sent, digest;
};

struct report {
    const struct options *options;
    const struct graph *graph;
    double load, output; /* seconds; output -1: it is not written yet */
    int count;
    const struct timed_run *runs;
    const char *cache;
    const struct degree_counts *degrees;
    uint64_t memory_bytes; /* most that a rank held at any time */
};

/* Loading, one run, and writing the output where it is written: the job that one run would be. */
double report_makespan(const struct report *r, int run);

void report_print(const struct report *r);
void report_runs(const struct report *r, FILE *file);

#endif
