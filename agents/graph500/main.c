/* Graph500 breadth-first search: generate, construct, search and validate every key, report. */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bfs.h"
#include "capacity.h"
#include "cache.h"
#include "construct.h"
#include "corrupt.h"
#include "edge-file.h"
#include "levels.h"
#include "memory.h"
#include "options.h"
#include "output.h"
#include "output-file.h"
#include "parents-file.h"
#include "phases.h"
#include "validate.h"

struct run {
    struct options options;
    struct net net;
    struct graph graph;
    struct trace trace;
    struct message_log messages;
    struct bfs bfs;
    struct validation validation;
    struct search *search;
    FILE *roots_file, *phases_file, *messages_file, *parents_file; /* rank 0 only */
    double generation, construction;
    const char *cache;
    int validated, failed;
};

static int leader(const struct run *r) { return r->net.rank == 0; }

static int refuse(const struct run *r, int status, const char *sentence)
{
    if (leader(r)) fprintf(stderr, "predict-graph500: %s\n", sentence);
    return status;
}

/* 0 to go on, else the exit status; the same on every rank. */
static int admit(struct run *r, int argc, char **argv)
{
    char error[256];
    int square = net_open(&r->net), side = r->net.side;
    if (!options_parse(&r->options, argc, argv, error)) return refuse(r, EXIT_USAGE, error);
    if (r->options.help) {
        if (leader(r)) options_print_usage(stdout);
        return -1;
    }
    if (r->options.edges_out) {
        if (r->net.ranks == 1) return 0;
        return refuse(r, EXIT_USAGE, "--edges-out is for one rank: start the program without mpirun, or with -np 1.");
    }
    if (r->options.corrupt >= LOST_EDGES && r->options.graph_cache)
        return refuse(r, EXIT_USAGE, "--corrupt 6 to 8 damage the graph: leave out --graph-cache, which keeps it.");
    if (!square) {
        snprintf(error, sizeof error, "the number of ranks must be a square: %d is not, the nearest are %d and %d.",
                 r->net.ranks, side * side, (side + 1) * (side + 1));
        return refuse(r, EXIT_USAGE, error);
    }
    if (!capacity_suffices(r->options.scale, r->options.edge_factor, r->net.side, error))
        return refuse(r, EXIT_MEMORY, error);
    return 0;
}

/* Before the work begins, so that no run is lost for want of a place to put its results. */
static int open_outputs(struct run *r)
{
    const char *roots = r->options.roots_out, *parents = r->options.parents_out;
    const char *phases = r->options.phases, *messages = r->options.messages;
    uint64_t failed = 0;
    if (leader(r) && roots) failed |= !(r->roots_file = output_open(roots));
    if (leader(r) && phases) failed |= !(r->phases_file = output_open(phases));
    if (leader(r) && messages) failed |= !(r->messages_file = output_open(messages));
    if (leader(r) && parents) failed |= !(r->parents_file = output_open(parents));
    net_max(&r->net, &failed, 1);
    return failed ? EXIT_USAGE : 0;
}

/* The clock starts before the edges are made; each rank makes its own, so nothing is distributed. */
static void build(struct run *r)
{
    struct graph *g = &r->graph;
    struct edge_picks edges;
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    struct edge_source source = edges_open(&g->layout, g->edge_factor, g->seed);
    edges_make(&source, &edges);
    trace_end(&r->trace, m, GENERATE);
    double between = net_time();
    m = trace_begin(&r->trace);
    construct(g, &edges, r->options.roots > 64 ? r->options.roots : 64);
    trace_end(&r->trace, m, CONSTRUCT);
    r->generation = between - start;
    r->construction = net_time() - between;
}

static int load(struct run *r)
{
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    if (!cache_load(&r->graph, r->options.graph_cache, r->options.roots)) return 0;
    trace_end(&r->trace, trace_begin(&r->trace), GENERATE); /* no time: nothing was made */
    trace_end(&r->trace, m, CONSTRUCT);
    r->construction = net_time() - start;
    return 1;
}

/* The graph is made as quickly as may be: nothing counts until the searches. */
static void obtain_graph(struct run *r)
{
    net_measured(0);
    const char *dir = r->options.graph_cache;
    r->graph = (struct graph){.net = &r->net,
                              .scale = r->options.scale,
                              .edge_factor = r->options.edge_factor,
                              .seed = r->options.seed};
    layout_open(&r->graph.layout, r->graph.scale, &r->net);
    trace_open(&r->trace, r->options.phases != NULL, search_words, &r->net.bytes_sent);
    r->messages.times = &r->trace.times;
    r->cache = dir ? "hit" : "off";
    if (!dir || !load(r)) {
        build(r);
        if (dir) r->cache = "miss";
        int failed = dir ? cache_save(&r->graph, dir) : 0;
        if (failed && leader(r))
            fprintf(stderr, "predict-graph500: warning: %d of %d parts of the graph could not be kept in %s.\n", failed,
                    r->net.ranks, dir);
    }
    if (!leader(r)) return;
    fprintf(stderr, "graph_generation:               %.9f s\n", r->generation);
    fprintf(stderr, "construction_time:              %.9f s\n", r->construction);
}

static void print_failures(const struct verdict *v, int i, uint64_t edges)
{
    if (v->edges != edges)
        fprintf(stderr, "Validation failed for BFS %d: %" PRIu64 " edges were counted, the tree spans %" PRIu64 "\n", i,
                edges, v->edges);
    for (int rule = 1; rule <= RULES; rule++)
        if (v->broken[rule])
            fprintf(stderr, "Validation failed for BFS %d: rule %d: %" PRIu64 " %s\n", i, rule, v->broken[rule],
                    rule_text(rule));
}

/* What the next search leaves. */
static void choose_trace(struct run *r, int i)
{
    int turn = r->options.trace_turns ? (i + i / 3) % 3 : 2; /* none is always the one after another */
    r->trace.on = r->options.phases && turn > 0;
    r->net.log = r->options.messages && turn > 1 ? &r->messages : NULL;
}

static void search_one(struct run *r, int i)
{
    struct search *s = &r->search[i];
    struct search_key key = r->graph.keys[i];
    if (leader(r)) fprintf(stderr, "Running BFS %d\n", i);
    trace_set(&r->trace, ROOT, i);
    r->bfs.keep_levels = i < r->options.validate;
    trace_make_room(&r->trace, USUAL_RECORDS);
    if (r->options.messages) message_log_make_room(&r->messages, usual_messages(r->net.side));
    uint64_t sent = r->net.bytes_sent;
    choose_trace(r, i);
    net_measured(1);
    trace_begin(&r->trace); /* what the rank did so far, read before the clock runs */
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    bfs_run(&r->bfs, key);
    r->net.log = NULL;
    trace_end(&r->trace, m, BFS);
    s->seconds = net_time() - start;
    net_measured(0);
    s->bytes_sent = r->net.bytes_sent - sent;
    s->edges = bfs_edges_reached(&r->bfs);
    s->validate_seconds = -1;
    net_sum(&r->net, &s->bytes_sent, 1);
    if (!leader(r)) return;
    fprintf(stderr, "Time for BFS %d is %.9f\n", i, s->seconds);
    fprintf(stderr, "TEPS for BFS %d is %.9g\n", i, search_teps(s));
}

/* Judges the searches that wait, of which the last is the i-th. */
static void judge(struct run *r, int i)
{
    double start = net_time();
    int count = validation_check(&r->validation);
    double share = (net_time() - start) / (count > 0 ? count : 1);
    for (int k = 0; k < count; k++) {
        int which = i - count + 1 + k;
        struct search *s = &r->search[which];
        const struct verdict *v = &r->validation.verdicts[k];
        s->validate_seconds += share;
        r->validated++;
        r->failed |= v->edges != s->edges;
        for (int rule = 1; rule <= RULES; rule++) r->failed |= v->broken[rule] != 0;
        if (!leader(r)) continue;
        fprintf(stderr, "Validate time for BFS %d is %.9f\n", which, s->validate_seconds);
        print_failures(v, which, s->edges);
    }
}

/* Keeps what the search claims; `last`: judges at once, with those that wait. The span of the last has the pass over
   the edge list in it, the time that is reported shares it out. */
static void validate_one(struct run *r, int i, int last)
{
    if (leader(r)) fprintf(stderr, "Validating BFS %d\n", i);
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    uint8_t *levels = claimed_levels(&r->bfs);
    if (r->options.corrupt) corrupt(&r->bfs, levels, r->options.corrupt);
    int full = validation_add(&r->validation, &r->bfs, r->graph.keys[i], levels);
    free(levels);
    r->search[i].validate_seconds = net_time() - start;
    if (full || last) judge(r, i);
    trace_end(&r->trace, m, VALIDATE);
}

/* Memory that no search has touched yet makes the first ones slow: nobody asks how long these take. */
static void warm_up(struct run *r, int searches)
{
    int traced = r->trace.on;
    r->trace.on = 0;
    for (int i = 0; i < r->options.warm_up && searches > 0; i++) bfs_run(&r->bfs, r->graph.keys[i % searches]);
    r->trace.on = traced;
}

/* Rows are written as soon as nothing is missing from them. */
static int write_rows(const struct run *r, int from, int to)
{
    for (int i = from; i < to && r->roots_file; i++)
        roots_file_add(r->roots_file, i, r->graph.keys[i].label, &r->search[i]);
    return to;
}

static void search_all(struct run *r, int searches)
{
    int validated = r->options.validate < searches ? r->options.validate : searches, written = 0;
    if (r->roots_file) roots_file_head(r->roots_file);
    r->search = take(((size_t)searches + 1) * sizeof *r->search);
    corrupt_graph(&r->graph, r->options.corrupt);
    bfs_open(&r->bfs, &r->graph, &r->trace);
    if (validated > 0) validation_open(&r->validation, &r->graph, validated);
    warm_up(r, searches);
    for (int i = 0; i < searches; i++) {
        search_one(r, i);
        if (r->options.parents_out) parents_file_add(r->parents_file, &r->bfs);
        if (i < validated) validate_one(r, i, i == validated - 1);
        if (r->validation.waiting == 0) written = write_rows(r, written, i + 1);
    }
    if (validated > 0) validation_close(&r->validation);
    bfs_close(&r->bfs);
}

static void benchmark(struct run *r)
{
    obtain_graph(r);
    int found = (int)r->graph.key_count;
    int searches = r->options.roots < found ? r->options.roots : found;
    search_all(r, searches);
    if (r->options.phases) trace_write(&r->trace, r->phases_file);
    output_close(r->phases_file, r->options.phases);
    if (r->options.messages) message_log_write(&r->messages, r->messages_file);
    output_close(r->messages_file, r->options.messages);
    output_close(r->parents_file, r->options.parents_out);
    output_close(r->roots_file, r->options.roots_out);
    struct report report = {&r->options, &r->graph,    r->generation, r->construction,
                            searches,    r->validated, r->search,     r->cache};
    if (leader(r)) output_block(&report);
    free(r->search);
    trace_close(&r->trace);
    message_log_close(&r->messages);
    graph_free(&r->graph);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct run r;
    memset(&r, 0, sizeof r);
    int status = admit(&r, argc, argv);
    if (status == 0 && r.options.edges_out) status = edge_file_make(&r.options);
    else if (status == 0) status = open_outputs(&r);
    if (status == 0 && !r.options.edges_out) {
        benchmark(&r);
        status = r.failed ? EXIT_INVALID : 0;
    }
    MPI_Finalize();
    return status < 0 ? 0 : status;
}
