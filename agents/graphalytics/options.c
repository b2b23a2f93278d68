/* The command line: one table says what there is (command-line.h). */
#include "options.h"

#include "command-line.h"
#include "team.h"

#define FIELD(name) offsetof(struct options, name)

/* In the order of the words of --algorithm. */
const struct algorithm *const algorithms[] = {&bfs, &pr, &wcc, &cdlp, &lcc, &sssp};

static const struct option options[] = {
    {"--algorithm", "bfs|pr|wcc|cdlp|lcc|sssp", CHOICE, FIELD(algorithm), 0, 0, "what to run"},
    {"--vertices", "FILE", TEXT, FIELD(vertices), 0, 0, "an id a line, ascending"},
    {"--edges", "FILE", TEXT, FIELD(edges), 0, 0, "two ids a line, and a weight where --weighted is true"},
    {"--directed", "false|true", CHOICE, FIELD(directed), 0, 0, "whether edges have a direction"},
    {"--weighted", "false|true", CHOICE, FIELD(weighted), 0, 0, "whether edges have weights (default false)"},
    {"--source", "ID", WORD, FIELD(source), 0, INT64_MAX, "where bfs and sssp begin"},
    {"--iterations", "N", INT, FIELD(iterations), 0, 1 << 30, "of pr and cdlp (default 10)"},
    {"--damping", "D", FRACTION, FIELD(damping), 0, 0, "of pr, 0..1 (default 0.85)"},
    {"--repetitions", "N", INT, FIELD(repetitions), 1, 1 << 20, "timed runs (default 1)"},
    {"--threads", "N", INT, FIELD(threads), 1, MAX_THREADS, "of each rank (default 1)"},
    {"--warm-up", "N", INT, FIELD(warm_up), 0, 1 << 20, "runs before those that count (default 0)"},
    {"--output", "FILE", TEXT, FIELD(output), 0, 0, "a line for each vertex: its id and its value"},
    {"--runs-out", "FILE", TEXT, FIELD(runs_out), 0, 0, "CSV of every run"},
    {"--phases", "FILE", TEXT, FIELD(phases), 0, 0, "CSV of every phase of every superstep on every rank"},
    {"--messages", "FILE", TEXT, FIELD(messages), 0, 0, "CSV of every message of every run on every rank"},
    {"--graph-cache", "DIR", TEXT, FIELD(graph_cache), 0, 0, "keep the loaded graph there, or take it from there"},
    {"--orders", "FIFO", TEXT, FIELD(orders), 0, 0,
     "measure when told to there; the files are below the folder that it names"},
    {"--time-limit", "S", INT, FIELD(time_limit), 1, 1 << 30, "seconds after which the program ends itself"},
    {"--help", NULL, FLAG, FIELD(help), 1, 1, "this text"},
};

static const struct option_table table = {options, sizeof options / sizeof *options, .positionals = 0};

void options_print_usage(FILE *file)
{
    fputs(
        "usage: mpirun -np P predict-graphalytics --algorithm NAME --vertices FILE --edges FILE --directed BOOL [options]\n"
        "An algorithm of LDBC Graphalytics on any number of ranks; the files are on every host under the same path.\n\n",
        file);
    command_line_list(file, table, 40);
    fputs("\nExit status: 0 done, 2 rejected, 3 repetitions differ, 4 out of memory, 5 over the time limit.\n"
          "Example: mpirun -np 4 predict-graphalytics --algorithm bfs --vertices g.v --edges g.e --directed false"
          " --source 1\n",
          file);
}

/* What an algorithm cannot do without. */
static const char *missing(const struct options *o)
{
    if (o->algorithm < 0) return "--algorithm is missing; name one of bfs|pr|wcc|cdlp|lcc|sssp.";
    if (!o->vertices || !o->edges) return "--vertices and --edges are needed: the graph's files.";
    if (o->directed < 0) return "--directed is missing; say true or false.";
    const struct algorithm *a = algorithms[o->algorithm];
    if (a->needs_source && o->source == NO_SOURCE) return "--source is missing; name the vertex where to begin.";
    if (a->needs_weights && !o->weighted)
        return "sssp needs weights: an edge file with a third column, and --weighted true.";
#ifndef _OPENMP
    if (o->threads > 1) return "--threads needs OpenMP, which the compiler of this program lacks; use 1.";
#endif
    return NULL;
}

int options_parse(struct options *o, int argc, char **argv, char error[256])
{
    *o = (struct options){.algorithm = -1,
                          .directed = -1,
                          .source = NO_SOURCE,
                          .iterations = 10,
                          .damping = 0.85,
                          .repetitions = 1,
                          .threads = 1};
    if (!command_line_read(o, table, argc, argv, error)) return 0;
    const char *sentence = o->help ? NULL : missing(o);
    if (sentence) snprintf(error, 256, "%s", sentence);
    return !sentence;
}
