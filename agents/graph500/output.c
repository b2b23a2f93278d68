/* Names and columns are those that the 3.0 reference prints, so that what reads its output reads ours. */
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
#include "statistics.h"

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

static void rates(const double *values, int count)
{
    struct summary s = summarise(values, count);
    five_numbers("bfs  ", "TEPS", &s);
    printf("bfs  harmonic_mean_TEPS:     !  %.9g\n", s.harmonic_mean);
    named("bfs  ", "harmonic_stddev", "TEPS", s.harmonic_stddev);
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
    uint64_t bytes = 0;
    for (int i = 0; i < r->searches; i++) bytes += r->search[i].bytes_sent;
    printf("%-31s %d\n", "num_validated:", r->validated);
    printf("%-31s %" PRIu64 "\n", "seed:", r->options->seed);
    printf("%-31s %dx%d\n", "grid:", r->graph->net->side, r->graph->net->side);
    printf("%-31s %" PRIu64 "\n", "bytes_sent:", bytes);
    printf("%-31s %s\n", "graph_cache:", r->cache);
    printf("%-31s predict-graph500, gcc %s, %s\n", "build:", __VERSION__, vector_width());
}

/* With partial validation the figures are those of the searches that were validated. */
static void validation_times(const struct report *r, double *values)
{
    int count = r->validated > 0 ? r->validated : r->searches;
    for (int i = 0; i < count; i++) values[i] = r->search[i].validate_seconds;
    arithmetic("bfs  ", "validate", values, count);
}

void output_block(const struct report *r)
{
    int n = r->searches;
    double *values = take(((size_t)n + 1) * sizeof *values);
    head(r);
    for (int i = 0; i < n; i++) values[i] = r->search[i].seconds;
    arithmetic("bfs  ", "time", values, n);
    for (int i = 0; i < n; i++) values[i] = (double)r->search[i].edges;
    arithmetic("", "nedge", values, n);
    for (int i = 0; i < n; i++) values[i] = search_teps(&r->search[i]);
    rates(values, n);
    validation_times(r, values);
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
