/* `sample`: a clock of fixed period; each tick reads every source once, and ticks that passed unused are counted. */
#include "agent.h"
#include "files.h"
#include "sample.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int run_sample(struct arguments *arguments);

const struct command sample_command = {
    .name = "sample",
    .summary = "sample CPU, network, disks, memory and MPI ranks until stdin ends",
    .help = "predict-agent sample [--hz 20] [--interface NAME]... [--cgroup DIR]... [--cores N] [--duration S]\n"
            "                     [--rank-env OMPI_COMM_WORLD_RANK,PMI_RANK,SLURM_PROCID]\n"
            "Prints a header, then \"t_ns<TAB>metric<TAB>instance<TAB>value\" lines: CLOCK_REALTIME of\n"
            "the read, and the kernel's counter as it is. Ends at the end of stdin, after --duration,\n"
            "or on SIGTERM or SIGINT, with \"#end samples=N missed=M cpu_ns=X\".\n"
            "With --cgroup (several are tried for the files they have), CPU and memory are that\n"
            "cgroup's, and disks are left out; /proc is for a host that has none and a PID namespace of its\n"
            "own: CPU is that of the processes in it. Interfaces: all but lo when none is named.\n"
            "--cores: what ranks keep to of themselves, where no quota says so: cpu.share_mcores.\n\n"
            "Example: predict-agent sample --hz 20 --interface eth0 > samples.tsv\n",
    .run = run_sample,
};

static volatile sig_atomic_t ended;

static void note_end(int signal)
{
    (void)signal;
    ended = 1;
}

struct sampler {
    struct output output;
    struct cpu_source cpu;
    struct net_source net;
    struct disk_source disks;
    struct memory_source memory;
    struct rank_source ranks;
    bool in_cgroup;
    uint64_t period_ns, end_ns, scan_next_ns;
    uint64_t samples, missed;
};

static void look_for_ranks(struct sampler *sampler, uint64_t now)
{
    ranks_scan(&sampler->ranks, now);
    sampler->scan_next_ns = now + SCAN_INTERVAL_MS * 1000000u - sampler->period_ns / 2;
}

static void take_sample(struct sampler *sampler, uint64_t now)
{
    if (now >= sampler->scan_next_ns) look_for_ranks(sampler, now);
    cpu_sample(&sampler->cpu, &sampler->output, now);
    net_sample(&sampler->net, &sampler->output);
    ranks_sample(&sampler->ranks, &sampler->output);
    if (!sampler->in_cgroup) disk_sample(&sampler->disks, &sampler->output);
    memory_sample(&sampler->memory, &sampler->output, now);
    /* What the counters were at the start outlives a sampler that is killed. */
    if (sampler->samples++ == 0) output_hurry(&sampler->output);
}

/* Sleeps until the deadline; true when stdin ended or a signal came before. */
static bool sleep_until(uint64_t deadline_ns, const sigset_t *while_asleep)
{
    for (;;) {
        uint64_t now = now_ns(MONOTONIC), left = deadline_ns > now ? deadline_ns - now : 0;
        struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        struct pollfd input = {.fd = 0, .events = POLLIN};
        int ready = ppoll(&input, 1, &timeout, while_asleep);
        if (ended) return true;
        if (ready == 0 && now_ns(MONOTONIC) >= deadline_ns) return false;
        if (ready <= 0) continue;
        char discarded[4096];
        ssize_t length = read(0, discarded, sizeof discarded);
        if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) return true;
    }
}

/* Counts the whole periods since a deadline, which passed unused; returns the deadline after them. */
static uint64_t miss_since(struct sampler *sampler, uint64_t deadline_ns)
{
    uint64_t now = now_ns(MONOTONIC), passed = now > deadline_ns ? (now - deadline_ns) / sampler->period_ns : 0;
    sampler->missed += passed;
    return deadline_ns + passed * sampler->period_ns;
}

static void sample_until_end(struct sampler *sampler, const sigset_t *while_asleep)
{
    /* Before the first sample is due: all processes of a busy host take some periods to read. */
    look_for_ranks(sampler, now_ns(MONOTONIC));
    uint64_t deadline = now_ns(MONOTONIC);
    for (;;) {
        uint64_t now = now_ns(MONOTONIC);
        if (output_pump(&sampler->output)) take_sample(sampler, now);
        else sampler->missed++;
        if (sampler->output.broken || (sampler->end_ns && deadline >= sampler->end_ns)) return;
        deadline = miss_since(sampler, deadline + sampler->period_ns);
        if (sampler->end_ns && deadline > sampler->end_ns) deadline = sampler->end_ns;
        if (!sleep_until(deadline, while_asleep)) continue;
        miss_since(sampler, deadline);
        if (output_pump(&sampler->output)) take_sample(sampler, now_ns(MONOTONIC));
        return;
    }
}

static void write_end(struct sampler *sampler)
{
    char line[128];
    snprintf(line, sizeof line, "#end samples=%" PRIu64 " missed=%" PRIu64 " cpu_ns=%" PRIu64, sampler->samples,
             sampler->missed, own_cpu_ns());
    output_line(&sampler->output, line);
}

static void catch_ends(sigset_t *while_asleep)
{
    struct sigaction action = {.sa_handler = note_end};
    sigset_t ends;
    sigemptyset(&ends);
    int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < 3; i++) {
        sigaction(signals[i], &action, NULL);
        sigaddset(&ends, signals[i]);
    }
    /* Blocked except while asleep: none can come between the check and the sleep. */
    sigprocmask(SIG_BLOCK, &ends, while_asleep);
    for (int i = 0; i < 3; i++) sigdelset(while_asleep, signals[i]);
}

static int run_sample(struct arguments *arguments)
{
    static struct sampler sampler;
    static const char *interfaces[INTERFACES], *cgroups[CGROUP_DIRS];
    const char *variables = RANK_ENVIRONMENT;
    int interfaces_count = 0, cgroups_count = 0;
    double hz = 20, duration = 0, kept_to = INFINITY;
    while (next_option(arguments)) {
        if (option_is(arguments, "hz")) hz = option_number(arguments, 0.01, 1000);
        else if (option_is(arguments, "duration")) duration = option_number(arguments, 0.001, 1e7);
        else if (option_is(arguments, "cores")) kept_to = option_number(arguments, 0.001, 1e5);
        else if (option_is(arguments, "rank-env")) variables = option_text(arguments);
        else if (option_is(arguments, "interface") && interfaces_count < INTERFACES)
            interfaces[interfaces_count++] = option_text(arguments);
        else if (option_is(arguments, "cgroup") && cgroups_count < CGROUP_DIRS)
            cgroups[cgroups_count++] = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    sigset_t while_asleep;
    catch_ends(&while_asleep);
    prctl(PR_SET_TIMERSLACK, 1000ul, 0, 0, 0); /* ns; the default of 50 us would show as jitter */

    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    sampler.in_cgroup = cgroups_count > 0;
    sampler.period_ns = (uint64_t)llround(1e9 / hz);
    if (!output_open(&sampler.output)) return fail("cannot get memory for the output (%s)", strerror(errno));
    if (!cpu_open(&sampler.cpu, cgroups, cgroups_count, cores)) return EXIT_FAILED;
    sampler.cpu.kept_to = kept_to;
    if (!net_open(&sampler.net, interfaces, interfaces_count)) return EXIT_FAILED;
    if (!ranks_open(&sampler.ranks, variables))
        return misuse("--rank-env must be up to %d names of environment variables, not \"%s\"", RANK_VARIABLES,
                      variables);
    if (!sampler.in_cgroup) disk_open(&sampler.disks);
    memory_open(&sampler.memory, cgroups, cgroups_count);

    struct utsname system;
    char line[256];
    uname(&system);
    snprintf(line, sizeof line, "#predict-samples 1 host=%s clock=realtime hz=%g cores=%d", system.nodename, hz, cores);
    output_line(&sampler.output, line);
    if (duration > 0) sampler.end_ns = now_ns(MONOTONIC) + (uint64_t)(duration * 1e9);
    sample_until_end(&sampler, &while_asleep);
    write_end(&sampler);
    if (!output_finish(&sampler.output, 10))
        return fail("cannot write the samples to stdout (%s); its reader went away or stands still", strerror(errno));
    return EXIT_DONE;
}
