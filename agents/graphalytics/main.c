/* Graphalytics' algorithms: load, run and time every repetition, write the values, report. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache.h"
#include "capacity.h"
#include "cover.h"
#include "memory.h"
#include "orders.h"
#include "outputs.h"
#include "program.h"
#include "results.h"
#include "team.h"
#include "time-limit.h"

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
    team_open(o->threads);
    if (!capacity_suffices(&p->net, &p->files, p->algorithm, o->threads, error)) return refuse(p, EXIT_MEMORY, error);
    return 0;
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
    degree_counts_of(&p->graph, &p->degrees);
    if (p->algorithm->covers_cut) {
        struct mark m = trace_begin(&p->trace);
        cover_cut(&p->graph);
        trace_end(&p->trace, m, COVER);
    }
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

/* What all runs need, and no run has in its time; what the algorithm makes of the graph is loading too. */
static void open_job(struct program *p)
{
    p->job.graph = &p->graph;
    p->job.trace = &p->trace;
    p->job.iterations = p->options.iterations;
    p->job.damping = p->options.damping;
    p->job.kind = p->algorithm->kind;
    halo_open(&p->job.halo, &p->graph);
    p->runs = take((size_t)p->options.repetitions * sizeof *p->runs);
    p->algorithm->open(&p->job);
    p->load = net_time() - p->begun;
    warm_up(p);
}

/* All repetitions of a start must have found the same; 0, or the exit status. */
static int run_all(struct program *p)
{
    p->output_time = -1;
    for (int i = 0; i < p->options.repetitions; i++) {
        run_one(p, i);
        if (!p->has_run) p->digest = p->runs[i].digest;
        p->has_run = 1;
        if (p->runs[i].digest != p->digest)
            return refuse(p, EXIT_INVALID, "two runs of the same gave different values; this is a defect.");
    }
    return 0;
}

/* Traces and messages of what came before are let go. */
static int measure(void *program)
{
    struct program *p = program;
    p->trace.count = p->messages.count = 0;
    int status = run_all(p);
    if (status == 0) outputs_print(p);
    return status;
}

static int write_files(void *program, const char *folder)
{
    struct program *p = program;
    if (!outputs_open(p, folder)) return EXIT_USAGE;
    outputs_write(p);
    return 0;
}

static int run_once(struct program *p)
{
    int status = run_all(p);
    if (status != 0) return status;
    outputs_write(p);
    outputs_print(p);
    return 0;
}

static int benchmark(struct program *p)
{
    const char *orders = p->options.orders;
    int status = obtain_graph(p);
    if (status == 0) status = find_source(p);
    if (status != 0) return status;
    open_job(p);
    status = orders ? orders_follow(&p->net, orders, &(struct follower){p, measure, write_files}) : run_once(p);
    p->algorithm->close(&p->job);
    halo_close(&p->job.halo);
    trace_close(&p->trace);
    message_log_close(&p->messages);
    graph_free(&p->graph);
    free(p->runs);
    return status;
}

int main(int argc, char **argv)
{
    int given;
    give_memory_back();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    struct program p;
    memset(&p, 0, sizeof p);
    int status = admit(&p, argc, argv);
    /* Before the work begins, so that no run is lost for want of a place to put its results. */
    if (status == 0 && !p.options.orders && !outputs_open(&p, NULL)) status = EXIT_USAGE;
    if (status == 0) status = benchmark(&p);
    MPI_Finalize();
    return status < 0 ? 0 : status;
}
