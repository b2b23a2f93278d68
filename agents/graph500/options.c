/* The command line: one table says what there is (command-line.h). */
#include "options.h"

#include <limits.h>
#include <stddef.h>

#include "command-line.h"

#define FIELD(name) offsetof(struct options, name)

static const struct option options[] = {
    {"--scale", "N", INT, FIELD(scale), 1, 40, "2^N vertices, 1..40 (default 16)"},
    {"--edgefactor", "N", INT, FIELD(edge_factor), 1, 1024, "N * 2^scale edges, 1..1024 (default 16)"},
    {"--kernel", "bfs|sssp|both", CHOICE, FIELD(kernel), 0, 0,
     "breadth-first search (default), shortest paths, or both"},
    {"--delta", "X", FRACTION, FIELD(delta), 0, 0,
     "width of a bucket of distances, 0..1 (default 0: by the mean degree)"},
    {"--seed", "N", WORD, FIELD(seed), 0, UINT64_MAX, "seed of graph and search keys (default 2)"},
    {"--roots", "N", INT, FIELD(roots), 1, 1 << 20, "searches (default 64; fewer if the graph has fewer keys)"},
    {"--warm-up", "N", INT, FIELD(warm_up), 0, 1 << 20, "searches before those that count (default 0)"},
    {"--skip-validation", NULL, FLAG, FIELD(validate), 0, 0, "do not validate; validation times are printed as -1"},
    {"--validate", "N", INT, FIELD(validate), 0, 1 << 20, "validate the first N searches only"},
    {"--strict", NULL, FLAG, FIELD(strict), 1, 1,
     "as an entry of the list must run: 64 searches, all validated, none before them; else it is refused"},
    {"--phases", "FILE", TEXT, FIELD(phases), 0, 0, "CSV of every phase of every level on every rank"},
    {"--messages", "FILE", TEXT, FIELD(messages), 0, 0, "CSV of every message of every search on every rank"},
    {"--roots-out", "FILE", TEXT, FIELD(roots_out), 0, 0, "CSV of every search, written as the run goes"},
    {"--graph-cache", "DIR", TEXT, FIELD(graph_cache), 0, 0, "keep the constructed graph there, or take it from there"},
    {"--parents-out", "FILE", TEXT, FIELD(parents_out), 0, 0, "the result of every search, 8 bytes a vertex"},
    {"--distances-out", "FILE", TEXT, FIELD(distances_out), 0, 0, "the distances of every search of shortest paths"},
    {"--orders", "FIFO", TEXT, FIELD(orders), 0, 0,
     "measure when told to there; the files are below the folder that it names"},
    {"--edges-out", "FILE", TEXT, FIELD(edges_out), 0, 0,
     "write the edge list there instead of searching; on one rank"},
    {"--weights-out", "FILE", TEXT, FIELD(weights_out), 0, 0, "with --edges-out: the weights, 4 bytes an edge"},
    {"--corrupt", "FAULT", INT, FIELD(corrupt), 1, 11,
     "for tests: 1..5 breaks that rule in the tree, 6..8 damages the graph, 9..11 weights and paths"},
    {"--trace-turns", NULL, FLAG, FIELD(trace_turns), 1, 1,
     "for benches: of three searches the first leaves no trace, the second phases alone"},
    {"--help", NULL, FLAG, FIELD(help), 1, 1, "this text"},
};

static const struct option_table table = {options, sizeof options / sizeof *options, .positionals = 2};

void options_print_usage(FILE *file)
{
    fputs("usage: mpirun -np P predict-graph500 [options] [SCALE [EDGEFACTOR]]\n"
          "Graph500 breadth-first search and shortest paths on P = q * q ranks (1, 4, 9, 16, 25, ...).\n\n",
          file);
    command_line_list(file, table, 21);
    fputs("\nExit status: 0 done, 1 a file could not be written, 2 rejected, 3 a validation failed, 4 out of memory.\n"
          "Example: mpirun -np 4 predict-graph500 --scale 18 --roots 16 --phases phases.csv\n",
          file);
}

int options_parse(struct options *o, int argc, char **argv, char error[256])
{
    *o = (struct options){.scale = 16, .edge_factor = 16, .seed = 2, .roots = 64, .validate = INT_MAX};
    return command_line_read(o, table, argc, argv, error);
}
