/* Names and columns are those that the 3.0 reference prints, so that what reads its output reads ours. */
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
#include "statistics.h"

const char *kernel_name(enum kernel kernel) { return kernel == KERNEL_SSSP ? "SSSP" : "BFS"; }

double search_teps(const struct search *s) { return s->seconds > 0 ? (double)s->edges / s->seconds : 0; }

/* Values begin in column 33, as in the reference. */
static void line(const char *name, double value) { printf("%-31s %.9g\n", name, value); }

static void named(const char *prefix, const char *statistic, const char *quantity, double value)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s_%s:", prefix, statistic, quantity);
    line(name, value);
}

static void five_numbers(const char *prefix, const char *quantity, const struct summary *s)
{
    named(prefix, "min", quantity, s->min);
    named(prefix, "firstquartile", quantity, s->first_quartile);
    named(prefix, "median", quantity, s->median);
    named(prefix, "thirdquartile", quantity, s->third_quartile);
    named(prefix, "max", quantity, s->max);
}

static void arithmetic(const char *prefix, const char *quantity, const double *values, int count)
{
    struct summary s = summarise(values, count);
    five_numbers(prefix, quantity, &s);
    named(prefix, "mean", quantity, s.mean);
    named(prefix, "stddev", quantity, s.stddev);
}

static void rates(const char *prefix, const double *values, int count)
{
    struct summary s = summarise(values, count);
    five_numbers(prefix, "TEPS", &s);
    printf("%sharmonic_mean_TEPS:     !  %.9g\n", prefix, s.harmonic_mean);
    named(prefix, "harmonic_stddev", "TEPS", s.harmonic_stddev);
}

static void head(const struct report *r)
{
    printf("%-31s %d\n", "SCALE:", r->options->scale);
    printf("%-31s %d\n", "edgefactor:", r->options->edge_factor);
    printf("%-31s %d\n", "NBFS:", r->searches);
    line("graph_generation:", r->generation);
    printf("%-31s %d\n", "num_mpi_processes:", r->graph->net->ranks);
    line("construction_time:", r->construction);
}

static const char *vector_width(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f")) return "avx512f";
    if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
    return "baseline";
}

/* Lines of our own, after those of the reference. */
static void tail(const struct report *r)
{
    const struct results *all[] = {&r->bfs, &r->sssp};
    uint64_t bytes = 0;
    int validated = 0;
    double supersteps = 0;
    for (int k = 0; k < 2; k++) {
        validated += all[k]->validated;
        for (int i = 0; i < r->searches && all[k]->search; i++) {
            bytes += all[k]->search[i].bytes_sent;
            supersteps += all[k]->search[i].supersteps;
        }
    }
    printf("%-31s %d\n", "num_validated:", validated);
    printf("%-31s %" PRIu64 "\n", "seed:", r->options->seed);
    printf("%-31s %dx%d\n", "grid:", r->graph->net->side, r->graph->net->side);
    printf("%-31s %" PRIu64 "\n", "bytes_sent:", bytes);
    if (r->sssp.search && r->searches > 0) line("mean_supersteps:", supersteps / r->searches);
    if (r->sssp.search) line("delta:", r->sssp.delta);
    printf("%-31s %s\n", "graph_cache:", r->cache);
    printf("%-31s predict-graph500, gcc %s, %s\n", "build:", __VERSION__, vector_width());
}

/* Names in the block are of one width. */
static const char *prefix_of(const struct results *k) { return k->kernel == KERNEL_SSSP ? "sssp " : "bfs  "; }

static void times(const struct results *k, double *values, int n)
{
    for (int i = 0; i < n && k->search; i++) values[i] = k->search[i].seconds;
    if (k->search) arithmetic(prefix_of(k), "time", values, n);
}

static void all_rates(const struct results *k, double *values, int n)
{
    for (int i = 0; i < n && k->search; i++) values[i] = search_teps(&k->search[i]);
    if (k->search) rates(prefix_of(k), values, n);
}

/* With partial validation the figures are those of the searches that were validated. */
static void validation_times(const struct results *k, double *values, int n)
{
    int count = k->validated > 0 ? k->validated : n;
    for (int i = 0; i < count && k->search; i++) values[i] = k->search[i].validate_seconds;
    if (k->search) arithmetic(prefix_of(k), "validate", values, count);
}

/* Of both kernels the edges are the same. */
static void edges(const struct results *k, double *values, int n)
{
    for (int i = 0; i < n; i++) values[i] = (double)k->search[i].edges;
    arithmetic("", "nedge", values, n);
}

void output_block(const struct report *r)
{
    int n = r->searches;
    double *values = take(((size_t)n + 1) * sizeof *values);
    head(r);
    times(&r->bfs, values, n);
    times(&r->sssp, values, n);
    edges(r->bfs.search ? &r->bfs : &r->sssp, values, n);
    all_rates(&r->bfs, values, n);
    all_rates(&r->sssp, values, n);
    validation_times(&r->bfs, values, n);
    validation_times(&r->sssp, values, n);
    tail(r);
    fflush(stdout);
    free(values);
}

void roots_file_head(FILE *f)
{
    fprintf(f, "root,key,time_s,nedge,teps,validate_s,bytes_sent\n");
    fflush(f);
}

void roots_file_add(FILE *f, int root, uint64_t key, const struct search *s)
{
    fprintf(f, "%d,%" PRIu64 ",%.17g,%" PRIu64 ",%.17g,%.17g,%" PRIu64 "\n", root, key, s->seconds, s->edges,
            search_teps(s), s->validate_seconds, s->bytes_sent);
    fflush(f);
}
