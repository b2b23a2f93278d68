/* Lines of `key: value`, as the bundled Graph500 prints them; rates as Graphalytics defines them, edges and vertices of
   the whole graph over processing time. */
#include "report.h"

#include <inttypes.h>

double report_makespan(const struct report *r, int run) { return r->load + r->runs[run].seconds + r->output; }

static void line(const char *name, double value) { printf("%-23s %.9g\n", name, value); }
static void count(const char *name, uint64_t value) { printf("%-23s %" PRIu64 "\n", name, value); }

static void print_run(const struct report *r, int i)
{
    const struct timed_run *run = &r->runs[i];
    double edges = (double)r->graph->edges, vertices = (double)r->graph->vertices;
    line("processing_time:", run->seconds);
    if (r->output >= 0) line("makespan:", report_makespan(r, i));
    if (run->seconds > 0) {
        line("eps:", edges / run->seconds);
        line("evps:", (edges + vertices) / run->seconds);
    }
    count("iterations:", run->iterations);
    count("bytes_sent:", run->bytes_sent);
}

void report_print(const struct report *r)
{
    const struct options *o = r->options;
    printf("%-23s %s\n", "algorithm:", algorithms[o->algorithm]->name);
    count("vertices:", r->graph->vertices);
    count("edges:", r->graph->edges);
    printf("%-23s %s\n", "directed:", o->directed ? "true" : "false");
    count("ranks:", (uint64_t)r->graph->net->ranks);
    count("threads:", (uint64_t)o->threads);
    printf("%-23s %s\n", "graph_cache:", r->cache);
    line("load_time:", r->load);
    if (r->output >= 0) line("output_time:", r->output);
    count("repetitions:", (uint64_t)r->count);
    for (int i = 0; i < r->count; i++) print_run(r, i);
    count("memory_bytes_per_rank:", r->memory_bytes);
    printf("%-23s ", "degrees:");
    degree_counts_print(r->degrees, stdout);
    putchar('\n');
    printf("%-23s %016" PRIx64 "\n", "digest:", r->runs[0].digest);
    printf("%-23s predict-graphalytics, gcc %s\n", "build:", __VERSION__);
    fflush(stdout);
}

void report_runs(const struct report *r, FILE *file)
{
    fputs("run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest\n", file);
    for (int i = 0; i < r->count; i++)
        fprintf(file, "%d,%.17g,%.17g,%.17g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%016" PRIx64 "\n", i,
                r->runs[i].seconds, r->load, report_makespan(r, i), r->graph->edges, r->graph->vertices,
                r->runs[i].iterations, r->runs[i].bytes_sent, r->runs[i].digest);
}
