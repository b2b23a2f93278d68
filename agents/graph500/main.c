/* Graph500 breadth-first search and shortest paths: generate, construct, search and validate every key, report. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capacity.h"
#include "cache.h"
#include "construct.h"
#include "corrupt.h"
#include "edge-file.h"
#include "memory.h"
#include "orders.h"
#include "outputs.h"
#include "phases.h"
#include "searches.h"

static int refuse(const struct run *r, int status, const char *sentence)
{
    if (leader(r)) fprintf(stderr, "predict-graph500: %s\n", sentence);
    return status;
}

/* Options that are of the other kernel alone, or of one at a time. */
static int fits_kernel(const struct options *o, char error[256])
{
    int kernels = options_kernels(o);
    int is_file = o->roots_out || o->phases || o->messages || o->parents_out || o->distances_out || o->orders;
    if (kernels == (KERNEL_BFS | KERNEL_SSSP) && is_file)
        return !snprintf(error, 256, "--kernel both writes no files: ask for bfs and for sssp, each with its own.");
    if (!(kernels & KERNEL_SSSP) && (o->distances_out || o->corrupt >= WRONG_WEIGHT))
        return !snprintf(error, 256, "--distances-out and --corrupt 9 to 11 are of shortest paths: add --kernel sssp.");
    if (!o->edges_out && o->weights_out)
        return !snprintf(error, 256, "--weights-out goes with --edges-out: name that file too.");
    return 1;
}

/* What the specification asks of a run that counts. */
static int fits_rules(const struct options *o, char error[256])
{
    int is_own = o->roots != 64 || o->edge_factor != 16 || o->validate != INT_MAX || o->warm_up || o->corrupt;
    if (!o->strict || !(is_own || o->graph_cache || o->orders)) return 1;
    return !snprintf(
        error, 256,
        "--strict asks for 64 searches, 16 edges per vertex, validation of all, no --warm-up, --graph-cache, "
        "--orders or --corrupt: leave these out.");
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
    if (!fits_kernel(&r->options, error) || !fits_rules(&r->options, error)) return refuse(r, EXIT_USAGE, error);
    if (r->options.edges_out) {
        if (r->net.ranks == 1) return 0;
        return refuse(r, EXIT_USAGE, "--edges-out is for one rank: start the program without mpirun, or with -np 1.");
    }
    if (r->options.corrupt >= LOST_EDGES && r->options.graph_cache)
        return refuse(r, EXIT_USAGE, "--corrupt 6 to 9 damage the graph: leave out --graph-cache, which keeps it.");
    if (r->options.orders && (r->options.parents_out || r->options.distances_out))
        return refuse(r, EXIT_USAGE,
                      "--orders keeps no results of searches: leave out --parents-out and --distances-out.");
    if (!square) {
        snprintf(error, sizeof error, "the number of ranks must be a square: %d is not, the nearest are %d and %d.",
                 r->net.ranks, side * side, (side + 1) * (side + 1));
        return refuse(r, EXIT_USAGE, error);
    }
    if (!capacity_suffices(r->options.scale, r->options.edge_factor, r->net.side, options_kernels(&r->options), error))
        return refuse(r, EXIT_MEMORY, error);
    return 0;
}

/* The clock starts before the edges are made; each rank makes its own, so nothing is distributed. */
static void build(struct run *r)
{
    struct graph *g = &r->graph;
    struct edge_picks edges;
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    struct edge_source source = edges_open(&g->layout, g->edge_factor, g->seed, (g->kernels & KERNEL_SSSP) != 0);
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
                              .seed = r->options.seed,
                              .kernels = options_kernels(&r->options)};
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

static int exit_status(const struct run *r) { return r->failed ? EXIT_INVALID : 0; }

static int measure(void *run)
{
    struct run *r = run;
    searches_repeat(r);
    outputs_print(r);
    return exit_status(r);
}

static int write_files(void *run, const char *folder)
{
    struct run *r = run;
    if (!outputs_open(r, folder)) return EXIT_USAGE;
    if (r->roots_file) searches_write(r);
    outputs_write(r);
    return 0;
}

static int search_by_orders(struct run *r)
{
    searches_begin(r, options_kernels(&r->options) == KERNEL_SSSP ? KERNEL_SSSP : KERNEL_BFS);
    searches_check(r);
    if (r->failed) return EXIT_INVALID;
    return orders_follow(&r->net, r->options.orders, &(struct follower){r, measure, write_files});
}

static int search_once(struct run *r)
{
    for (int kernel = KERNEL_BFS; kernel <= KERNEL_SSSP; kernel++) {
        if (!(r->graph.kernels & kernel)) continue;
        searches_begin(r, (enum kernel)kernel);
        searches_run(r);
    }
    outputs_write(r);
    outputs_print(r);
    return exit_status(r);
}

static int benchmark(struct run *r)
{
    obtain_graph(r);
    searches_open(r);
    if (r->options.strict && r->searches < 64)
        return refuse(r, EXIT_USAGE, "--strict needs 64 vertices with edges: ask for a larger --scale.");
    int status = r->options.orders ? search_by_orders(r) : search_once(r);
    searches_close(r);
    trace_close(&r->trace);
    message_log_close(&r->messages);
    graph_free(&r->graph);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct run r;
    memset(&r, 0, sizeof r);
    int status = admit(&r, argc, argv);
    if (status == 0 && r.options.edges_out) status = edge_file_make(&r.options);
    else if (status == 0 && !r.options.orders) status = outputs_open(&r, NULL) ? 0 : EXIT_USAGE;
    if (status == 0 && !r.options.edges_out) status = benchmark(&r);
    MPI_Finalize();
    return status < 0 ? 0 : status;
}
