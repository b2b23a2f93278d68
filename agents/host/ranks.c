/* `ranks`: waits until the MPI ranks of a job run on this host and tells their processes, for tools that attach to
 * them. */
#include "agent.h"
#include "files.h"
#include "sample.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static int run_ranks(struct arguments *arguments);

const struct command ranks_command = {
    .name = "ranks",
    .summary = "wait for MPI ranks and print their numbers and processes",
    .help = "predict-agent ranks [--count 1] [--rank-env OMPI_COMM_WORLD_RANK,PMI_RANK,SLURM_PROCID]\n"
            "Prints \"rank<TAB>pid\" lines once as many ranks as --count run here, as `sample` knows\n"
            "them. Fails at the end of stdin, saying how many there were.\n\n"
            "Example: predict-agent ranks --count 2\n",
    .run = run_ranks,
};

enum { LOOK_EVERY_MS = 50 };
/* A process that was there before, and execs the rank's program later, is met when all are looked at again. */
static const uint64_t look_at_all_every_ns = 1000000000u;

/* True at the end of stdin. */
static bool has_ended(int wait_ms)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char discarded[4096];
    if (poll(&input, 1, wait_ms) <= 0) return false;
    ssize_t length = read(0, discarded, sizeof discarded);
    return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

static int count_ranks(const struct rank_source *ranks)
{
    int count = 0;
    for (int i = 0; i < ranks->ranks_count; i++) count += ranks->ranks[i].number != LAUNCHER;
    return count;
}

static int run_ranks(struct arguments *arguments)
{
    static struct rank_source ranks;
    const char *variables = RANK_ENVIRONMENT;
    uint64_t wanted = 1;
    while (next_option(arguments)) {
        if (option_is(arguments, "count")) wanted = option_count(arguments);
        else if (option_is(arguments, "rank-env")) variables = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (wanted < 1 || wanted > RANKS) return misuse("--count must be from 1 to %d", RANKS);
    if (!ranks_open(&ranks, variables))
        return misuse("--rank-env must be up to %d names of environment variables, not \"%s\"", RANK_VARIABLES,
                      variables);
    uint64_t looked_at_all = now_ns(MONOTONIC);
    for (ranks_scan(&ranks, looked_at_all); count_ranks(&ranks) < (int)wanted;) {
        if (has_ended(LOOK_EVERY_MS)) return fail("%d of %d ranks were seen", count_ranks(&ranks), (int)wanted);
        uint64_t now = now_ns(MONOTONIC);
        if (now - looked_at_all >= look_at_all_every_ns) ranks.full_scan_ns = looked_at_all = now;
        ranks_scan(&ranks, now);
    }
    for (int i = 0; i < ranks.ranks_count; i++)
        if (ranks.ranks[i].number != LAUNCHER) printf("%d\t%d\n", ranks.ranks[i].number, ranks.ranks[i].pid);
    return fflush(stdout) == 0 ? EXIT_DONE : fail("cannot write to stdout");
}
