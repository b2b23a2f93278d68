/* Graphalytics' algorithms: load, run and time every repetition, write the values, report. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cache.h"
#include "capacity.h"
#include "load.h"
#include "memory.h"
#include "options.h"
#include "output-file.h"
#include "report.h"
#include "results.h"
#include "time-limit.h"

struct program {
    struct options options;
    struct files files;
    struct net net;
    struct graph graph;
    struct trace trace;
    struct message_log messages;
    struct job job;
    const struct algorithm *algorithm;
    struct timed_run *runs;
    FILE *output, *runs_out, *phases, *message_file; /* rank 0 only */
    double begun, load, output_time;
    const char *cache;
};

static int leader(const struct program *p) { return p->net.rank == 0; }

static int refuse(const struct program *p, int status, const char *sentence)
{
    if (leader(p)) fprintf(stderr, "predict-graphalytics: %s\n", sentence);
    return status;
}

/* 0 to go on, else the exit status, -1 for help; the same on every rank. */
static int admit(struct program *p, int argc, char **argv)
{
    char error[256];
    const struct options *o = &p->options;
    net_open(&p->net);
    p->begun = net_time();
    if (!options_parse(&p->options, argc, argv, error)) return refuse(p, EXIT_USAGE, error);
    if (o->help) {
        if (leader(p)) options_print_usage(stdout);
        return -1;
    }
    p->algorithm = algorithms[o->algorithm];
    p->files = (struct files){o->vertices, o->edges, o->directed, o->weighted};
    if (leader(p) && o->time_limit) time_limit_start(o->time_limit);
    if (!capacity_suffices(&p->net, &p->files, p->algorithm->needs_weights, error))
        return refuse(p, EXIT_MEMORY, error);
    return 0;
}

/* Before the work begins, so that no run is lost for want of a place to put its results. */
static int open_outputs(struct program *p)
{
    const struct options *o = &p->options;
    uint64_t failed = 0;
    if (leader(p) && o->output) failed |= !(p->output = output_open(o->output));
    if (leader(p) && o->runs_out) failed |= !(p->runs_out = output_open(o->runs_out));
    if (leader(p) && o->phases) failed |= !(p->phases = output_open(o->phases));
    if (leader(p) && o->messages) failed |= !(p->message_file = output_open(o->messages));
    net_max(&p->net, &failed, 1);
    return failed ? EXIT_USAGE : 0;
}

static int load_cached(struct program *p, const struct content *content)
{
    struct mark m = trace_begin(&p->trace);
    if (!cache_load(&p->graph, p->options.graph_cache, content, p->files.directed, p->algorithm->needs_weights))
        return 0;
    m = trace_end(&p->trace, m, LOAD);
    trace_end(&p->trace, m, CONSTRUCT); /* no time: nothing was made */
    return 1;
}

/* The graph is made as quickly as may be: nothing counts until the runs. */
static int obtain_graph(struct program *p)
{
    const char *dir = p->options.graph_cache;
    struct content content = {0};
    net_measured(0);
    trace_open(&p->trace, p->options.phases != NULL, run_words, &p->net.bytes_sent);
    p->messages.times = &p->trace.times;
    p->graph = (struct graph){.net = &p->net};
    p->cache = dir ? "hit" : "off";
    int known = dir && content_of(&content, &p->net, &p->files);
    if (!known || !load_cached(p, &content)) {
        if (!load_graph(&p->graph, &p->files, p->algorithm->needs_weights, &p->trace)) return EXIT_USAGE;
        if (dir) p->cache = "miss";
        int failed = known ? cache_save(&p->graph, dir, &content) : 0;
        if (failed && leader(p))
            fprintf(stderr, "predict-graphalytics: warning: %d of %d parts of the graph could not be kept in %s.\n",
                    failed, p->net.ranks, dir);
    }
    p->load = net_time() - p->begun;
    return 0;
}

static int find_source(struct program *p)
{
    char error[256];
    uint64_t id = p->options.source;
    if (!p->algorithm->needs_source) return 0;
    if (graph_find(&p->graph, id, &p->job.source_rank, &p->job.source)) return 0;
    snprintf(error, sizeof error, "--source %" PRIu64 " is not a vertex of %.180s; name one of its lines.", id,
             p->files.vertices);
    return refuse(p, EXIT_USAGE, error);
}

static int64_t epoch_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* From barrier to barrier, with the lines that the official harness takes the time from. */
static void run_one(struct program *p, int i)
{
    struct timed_run *run = &p->runs[i];
    trace_set(&p->trace, RUN, i);
    trace_make_room(&p->trace, USUAL_RECORDS);
    if (p->options.messages) message_log_make_room(&p->messages, usual_messages(p->net.ranks));
    uint64_t sent = p->net.bytes_sent;
    if (leader(p)) printf("Processing starts at %" PRId64 "\n", epoch_ms());
    net_measured(1);
    trace_begin(&p->trace); /* what the rank did so far, read before the clock runs */
    double start = net_time();
    struct mark m = p->job.mark = trace_begin(&p->trace);
    if (p->options.messages) p->net.log = &p->messages;
    p->algorithm->run(&p->job);
    p->net.log = NULL;
    trace_clear(&p->trace, SUPERSTEP);
    trace_end(&p->trace, m, PROCESS);
    run->seconds = net_time() - start;
    net_measured(0);
    if (leader(p)) printf("Processing ends at %" PRId64 "\n", epoch_ms());
    run->bytes_sent = p->net.bytes_sent - sent;
    run->iterations = p->job.supersteps;
    net_sum(&p->net, &run->bytes_sent, 1);
    run->digest = results_digest(&p->job);
}

/* Memory that no run has touched yet makes the first ones slow: nobody asks how long these take. */
static void warm_up(struct program *p)
{
    int traced = p->trace.on;
    p->trace.on = 0;
    for (int i = 0; i < p->options.warm_up; i++) p->algorithm->run(&p->job);
    p->trace.on = traced;
}

/* All repetitions must have found the same. */
static int run_all(struct program *p)
{
    p->job.graph = &p->graph;
    p->job.trace = &p->trace;
    p->job.iterations = p->options.iterations;
    p->job.damping = p->options.damping;
    p->job.kind = p->algorithm->kind;
    halo_open(&p->job.halo, &p->graph);
    p->runs = take((size_t)p->options.repetitions * sizeof *p->runs);
    p->algorithm->open(&p->job);
    warm_up(p);
    for (int i = 0; i < p->options.repetitions; i++) {
        run_one(p, i);
        if (p->runs[i].digest != p->runs[0].digest) return 0;
    }
    return 1;
}

static void write_values(struct program *p)
{
    double start = net_time();
    if (p->options.output) results_write(&p->job, p->output);
    output_close(p->output, p->options.output);
    p->output_time = net_time() - start;
}

static uint64_t memory_bytes(struct program *p)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t bytes = (uint64_t)usage.ru_maxrss * 1024;
    net_max(&p->net, &bytes, 1);
    return bytes;
}

static int benchmark(struct program *p)
{
    int status = obtain_graph(p);
    if (status == 0) status = find_source(p);
    if (status != 0) return status;
    if (!run_all(p)) return refuse(p, EXIT_INVALID, "two runs of the same gave different values; this is a defect.");
    write_values(p);
    if (p->trace.on) trace_write(&p->trace, p->phases);
    output_close(p->phases, p->options.phases);
    if (p->options.messages) message_log_write(&p->messages, p->message_file);
    output_close(p->message_file, p->options.messages);
    struct report report = {&p->options, &p->graph, p->load,        p->output_time, p->options.repetitions,
                            p->runs,     p->cache,  memory_bytes(p)};
    if (leader(p)) report_print(&report);
    if (p->runs_out) report_runs(&report, p->runs_out);
    output_close(p->runs_out, p->options.runs_out);
    p->algorithm->close(&p->job);
    halo_close(&p->job.halo);
    trace_close(&p->trace);
    message_log_close(&p->messages);
    graph_free(&p->graph);
    free(p->runs);
    return 0;
}

int main(int argc, char **argv)
{
    give_memory_back();
    MPI_Init(&argc, &argv);
    struct program p;
    memset(&p, 0, sizeof p);
    int status = admit(&p, argc, argv);
    if (status == 0) status = open_outputs(&p);
    if (status == 0) status = benchmark(&p);
    MPI_Finalize();
    return status < 0 ? 0 : status;
}
