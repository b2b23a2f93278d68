/* Searches one after the other: the clock runs for the search alone. */
#include "searches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "corrupt.h"
#include "levels.h"
#include "memory.h"
#include "parents-file.h"
#include "phases.h"

/* How many of the first searches are validated. */
static int to_validate(const struct run *r)
{
    return r->options.validate < r->searches ? r->options.validate : r->searches;
}

void searches_open(struct run *r)
{
    int found = (int)r->graph.key_count;
    r->searches = r->options.roots < found ? r->options.roots : found;
    corrupt_graph(&r->graph, r->options.corrupt);
    bfs_open(&r->bfs, &r->graph, &r->trace);
    if (r->graph.kernels & KERNEL_SSSP) sssp_open(&r->sssp, &r->bfs, r->options.delta);
}

void searches_begin(struct run *r, enum kernel kernel)
{
    r->earlier = r->results;
    r->results = (struct results){.kernel = kernel, .delta = r->sssp.delta};
    r->results.search = take(((size_t)r->searches + 1) * sizeof *r->results.search);
    for (int i = 0; i < r->searches; i++) r->results.search[i] = (struct search){.validate_seconds = -1};
}

void searches_close(struct run *r)
{
    if (r->graph.kernels & KERNEL_SSSP) sssp_close(&r->sssp);
    bfs_close(&r->bfs);
    free(r->results.search);
    free(r->earlier.search);
}

static const char *name(const struct run *r) { return kernel_name(r->results.kernel); }

/* The search itself. */
static void traverse(struct run *r, struct search_key key)
{
    if (r->results.kernel == KERNEL_SSSP) sssp_run(&r->sssp, key);
    else bfs_run(&r->bfs, key);
}

/* What it reached, in edges of the list. */
static uint64_t edges_reached(struct run *r)
{
    if (r->results.kernel == KERNEL_SSSP) sssp_share_reached(&r->sssp);
    return bfs_edges_reached(&r->bfs);
}

static void print_failures(const struct run *r, const struct verdict *v, int i, uint64_t edges)
{
    if (v->edges != edges)
        fprintf(stderr, "Validation failed for %s %d: %" PRIu64 " edges were counted, the tree spans %" PRIu64 "\n",
                name(r), i, edges, v->edges);
    for (int rule = 1; rule <= RULES; rule++)
        if (v->broken[rule])
            fprintf(stderr, "Validation failed for %s %d: rule %d: %" PRIu64 " %s\n", name(r), i, rule, v->broken[rule],
                    rule_text(r->results.kernel, rule));
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
    struct search *s = &r->results.search[i];
    struct search_key key = r->graph.keys[i];
    if (leader(r)) fprintf(stderr, "Running %s %d\n", name(r), i);
    trace_set(&r->trace, ROOT, i);
    trace_make_room(&r->trace, USUAL_RECORDS);
    if (r->options.messages) message_log_make_room(&r->messages, usual_messages(r->net.side));
    uint64_t sent = r->net.bytes_sent;
    choose_trace(r, i);
    net_measured(1);
    trace_begin(&r->trace); /* what the rank did so far, read before the clock runs */
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    traverse(r, key);
    r->net.log = NULL;
    trace_end(&r->trace, m, r->results.kernel == KERNEL_SSSP ? SSSP : BFS);
    s->seconds = net_time() - start;
    net_measured(0);
    s->bytes_sent = r->net.bytes_sent - sent;
    s->supersteps = r->sssp.supersteps;
    s->edges = edges_reached(r);
    net_sum(&r->net, &s->bytes_sent, 1);
    if (!leader(r)) return;
    fprintf(stderr, "Time for %s %d is %.9f\n", name(r), i, s->seconds);
    fprintf(stderr, "TEPS for %s %d is %.9g\n", name(r), i, search_teps(s));
}

static void print_validated(const struct run *r, int i, const struct search *s)
{
    fprintf(stderr, "Validate time for %s %d is %.9f\n", name(r), i, s->validate_seconds);
}

/* Judges the searches that wait, of which the last is the i-th. */
static void judge(struct run *r, int i)
{
    double start = net_time();
    int count = validation_check(&r->validation);
    double share = (net_time() - start) / (count > 0 ? count : 1);
    for (int k = 0; k < count; k++) {
        int which = i - count + 1 + k;
        struct search *s = &r->results.search[which];
        const struct verdict *v = &r->validation.verdicts[k];
        s->validate_seconds += share;
        s->spanned = v->edges;
        r->results.validated++;
        r->failed |= v->edges != s->edges;
        for (int rule = 1; rule <= RULES; rule++) r->failed |= v->broken[rule] != 0;
        if (!leader(r)) continue;
        if (!r->options.orders) print_validated(r, which, s);
        print_failures(r, v, which, s->edges);
    }
}

/* Keeps what the search claims; `last`: judges at once, with those that wait. The span of the last has the pass over
   the edge list in it, the time that is reported shares it out. */
static void validate_one(struct run *r, int i, int last)
{
    if (leader(r) && !r->options.orders) fprintf(stderr, "Validating %s %d\n", name(r), i);
    double start = net_time();
    struct mark m = trace_begin(&r->trace);
    int is_sssp = r->results.kernel == KERNEL_SSSP, fault = r->options.corrupt;
    uint8_t *levels = is_sssp ? NULL : claimed_levels(&r->bfs);
    if (fault) corrupt(&r->bfs, levels, is_sssp ? r->sssp.result : NULL, fault);
    const void *values = is_sssp ? (const void *)r->sssp.result : levels;
    int full = validation_add(&r->validation, &r->bfs, r->graph.keys[i], values);
    free(levels);
    r->results.search[i].validate_seconds = net_time() - start;
    if (full || last) judge(r, i);
    trace_end(&r->trace, m, VALIDATE);
}

/* Memory that no search has touched yet makes the first ones slow: nobody asks how long these take. */
static void warm_up(struct run *r)
{
    int traced = r->trace.on;
    r->trace.on = 0;
    for (int i = 0; i < r->options.warm_up && r->searches > 0; i++) traverse(r, r->graph.keys[i % r->searches]);
    r->trace.on = traced;
}

/* Rows are written as soon as nothing is missing from them. */
static int write_rows(const struct run *r, int from, int to)
{
    for (int i = from; i < to && r->roots_file; i++)
        roots_file_add(r->roots_file, i, r->graph.keys[i].label, &r->results.search[i]);
    return to;
}

void searches_run(struct run *r)
{
    int validated = to_validate(r), written = 0;
    if (r->roots_file) roots_file_head(r->roots_file);
    if (validated > 0) validation_open(&r->validation, &r->graph, validated, r->results.kernel);
    warm_up(r);
    for (int i = 0; i < r->searches; i++) {
        r->bfs.keep_levels = i < validated;
        search_one(r, i);
        if (r->options.parents_out) parents_file_add(r->parents_file, &r->bfs);
        if (r->options.distances_out) distances_file_add(r->distances_file, &r->sssp);
        if (i < validated) validate_one(r, i, i == validated - 1);
        if (r->validation.waiting == 0) written = write_rows(r, written, i + 1);
    }
    if (validated > 0) validation_close(&r->validation);
}

void searches_check(struct run *r)
{
    int validated = to_validate(r);
    if (validated == 0) warm_up(r);
    if (validated == 0) return;
    r->trace.on = 0;
    r->bfs.keep_levels = 1;
    validation_open(&r->validation, &r->graph, validated, r->results.kernel);
    for (int i = 0; i < validated; i++) {
        traverse(r, r->graph.keys[i]);
        r->results.search[i].edges = edges_reached(r);
        validate_one(r, i, i == validated - 1);
    }
    validation_close(&r->validation);
    r->bfs.keep_levels = 0;
}

void searches_write(const struct run *r)
{
    roots_file_head(r->roots_file);
    write_rows(r, 0, r->searches);
}

void searches_repeat(struct run *r)
{
    r->trace.count = r->messages.count = 0;
    for (int i = 0; i < r->searches; i++) {
        search_one(r, i);
        if (i >= r->results.validated) continue;
        const struct search *s = &r->results.search[i];
        r->failed |= s->edges != s->spanned;
        if (!leader(r)) continue;
        fprintf(stderr, "Validating %s %d\n", name(r), i);
        print_validated(r, i, s);
        if (s->edges == s->spanned) continue;
        fprintf(stderr, "Validation failed for %s %d: %" PRIu64 " edges were counted, before %" PRIu64 "\n", name(r), i,
                s->edges, s->spanned);
    }
}
