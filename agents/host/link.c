/* `link`: shows, throttles and restores the data link of this host, under a lease. All that predict does to a link as
   root is done here: arguments are checked one by one, and no shell is run. */
#include "agent.h"
#include "files.h"
#include "link.h"
#include "links.h"
#include "printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int run_link(struct arguments *arguments);

const struct command link_command = {
    .name = "link",
    .summary = "show, throttle and restore the data link, under a lease",
    .help = "predict-agent link show|set|renew|clear (--interface IF | --network CIDR) [OPTION]...\n"
            "predict-agent link expire --interface IF\n"
            "  set    throttles both directions to --rate BIT_PER_S with --burst BYTES for --lease SECONDS, or\n"
            "         changes the rate in force; --owner TEXT says for whom; TCP of --ssh-port N (22) and IPv4 that\n"
            "         is not of --network stay free. Keepers restore the link at the end of the lease. Behind the\n"
            "         rate flows take turns (--queue fair, the default), or queue together for at most a time such\n"
            "         as 5ms, or as fq_codel has it where the kernel has that. --latency MS (0), with the fair queue\n"
            "         alone, is added to what is sent, by netem.\n"
            "  renew  moves the end of the lease to --lease SECONDS from now; one that ran out stays ended.\n"
            "  clear  restores the link; does nothing to one that is not throttled by us.\n"
            "  expire restores the link if its lease is over. Where systemd runs, set and renew arm a timer of its\n"
            "         own for that, as a backup of the watchdogs; before the end it arms the next one.\n"
            "Each but expire prints what is on the link then; show --netem also whether the kernel has netem. A qdisc\n"
            "of somebody else's is never changed. show is for everybody, the others for root.\n"
            "Exit codes: 20 no such interface, 21 somebody else's qdisc, 22 failed (the link is restored),\n"
            "23 another command is at work, 24 not root, 25 tc or ip is not installed, 26 the kernel has no netem.\n\n"
            "Example: predict-agent link set --network 10.0.0.0/24 --rate 20000000 --burst 18168 \\\n"
            "         --lease 60 --owner anna\n",
    .run = run_link,
};

enum { LINK_NO_INTERFACE = 20, LINK_FOREIGN, LINK_FAILED, LINK_BUSY, LINK_NO_PRIVILEGE, LINK_NO_TOOL, LINK_NO_NETEM };
enum { LOCK_WAIT_MS = 15000, OWNER_TEXT = 200, MOST_LATENCY_MS = 1000 };

struct request {
    const char *verb;
    char interface[IF_NAMESIZE];
    struct level level;
    bool netem;
    double lease_s;
    char owner[OWNER_TEXT];
};

#define refuse(code, ...) (fail(__VA_ARGS__), (code))

/* Exits with EXIT_MISUSED when anything is missing or bad. */
static void take_request(struct arguments *arguments, struct request *request)
{
    *request = (struct request){.level = {.ssh_port = 22}};
    request->verb = next_word(arguments);
    /* --help may stand in place of the verb. */
    if (request->verb && request->verb[0] == '-') arguments->next--;
    bool set = request->verb && strcmp(request->verb, "set") == 0;
    bool show = request->verb && strcmp(request->verb, "show") == 0;
    bool renew = request->verb && strcmp(request->verb, "renew") == 0;
    bool expire = request->verb && strcmp(request->verb, "expire") == 0;
    while (next_option(arguments)) {
        if (option_is(arguments, "interface")) {
            const char *name = option_text(arguments);
            if (!is_interface_name(name)) exit(misuse("--interface \"%s\" is not an interface name", name));
            snprintf(request->interface, sizeof request->interface, "%s", name);
        } else if (!expire && option_is(arguments, "network")) {
            const char *text = option_text(arguments);
            struct network network;
            if (strlen(text) >= NETWORK_TEXT || !parse_network(text, &network) || strchr(text, ':'))
                exit(misuse("--network \"%s\" is no IPv4 range such as 10.0.0.0/24", text));
            snprintf(request->level.network, NETWORK_TEXT, "%s", text);
        } else if (set && option_is(arguments, "ssh-port")) {
            request->level.ssh_port = (unsigned)option_number(arguments, 1, 65535);
        } else if (set && option_is(arguments, "rate")) {
            request->level.rate_bps = option_rate(arguments);
        } else if (set && option_is(arguments, "burst")) {
            request->level.burst_bytes = option_burst(arguments);
        } else if (set && option_is(arguments, "queue")) {
            const char *text = option_text(arguments);
            if (!parse_queue(text, &request->level.queue))
                exit(misuse("--queue \"%s\" is neither fair nor fq_codel nor a time such as 5ms", text));
        } else if (set && option_is(arguments, "latency")) {
            request->level.latency_us = (unsigned)(option_number(arguments, 0, MOST_LATENCY_MS) * 1e3 + 0.5);
        } else if (show && option_is(arguments, "netem")) {
            request->netem = true;
        } else if (set && option_is(arguments, "owner")) {
            copy_printable(request->owner, sizeof request->owner, option_text(arguments));
        } else if ((set || renew) && option_is(arguments, "lease")) {
            request->lease_s = option_number(arguments, 1, 1e9);
        } else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!request->verb || (!set && !renew && !expire && !show && strcmp(request->verb, "clear") != 0))
        exit(misuse("say show, set, renew, clear or expire; see predict-agent link --help"));
    if (!request->interface[0] && !request->level.network[0]) exit(misuse("give --interface IF or --network CIDR"));
    if ((set || renew) && request->lease_s == 0) exit(misuse("--lease SECONDS is missing"));
    if (set && (!request->level.rate_bps || !request->level.burst_bytes || !request->owner[0]))
        exit(misuse("set takes --rate BIT_PER_S, --burst BYTES and --owner TEXT as well"));
    if (request->level.latency_us > 0 && request->level.queue.kind != QUEUE_FAIR)
        exit(misuse("--latency needs the queue fair"));
}

/* Fills in the interface that has an address in the network; 0, or the code to exit with. */
static int find_interface(struct request *request)
{
    if (request->interface[0]) {
        if (if_nametoindex(request->interface)) return 0;
        return refuse(LINK_NO_INTERFACE, "the interface %s does not exist here", request->interface);
    }
    struct network network;
    struct link *links;
    parse_network(request->level.network, &network);
    int count = list_links(&links);
    if (count < 0) return refuse(LINK_FAILED, "the interfaces cannot be listed (%s)", strerror(errno));
    const struct link *data = data_link(links, count, NULL, &network);
    if (data) snprintf(request->interface, sizeof request->interface, "%s", data->name);
    free(links);
    if (!request->interface[0])
        return refuse(LINK_NO_INTERFACE, "no interface here has an address in %s", request->level.network);
    if (is_interface_name(request->interface)) return 0;
    return refuse(LINK_NO_INTERFACE, "the interface \"%s\" has a name that tc cannot be given", request->interface);
}

/* Restores the link and ends the lease; where that fails, the lease stays, so that keepers try again. */
static bool end_lease(struct state *state, char problem[PROBLEM])
{
    if (state->folder < 0) return true;
    if (!release_link(state, problem)) return false;
    remove_state(state);
    return true;
}

/* Says what went wrong, after the link has been restored. */
static int give_up(struct state *state, const char *what, const char *why)
{
    char problem[PROBLEM] = "";
    if (end_lease(state, problem))
        return refuse(LINK_FAILED, "%s %s (%s); the link is restored", what, state->interface, why);
    return refuse(LINK_FAILED, "%s %s (%s), and the link could not be restored (%s)", what, state->interface, why,
                  problem);
}

/* The second line: keepers do without it. */
static void arm_timer(const struct state *state)
{
    char problem[PROBLEM];
    if (ensure_timer(state, problem)) return;
    fail("systemd has no timer for the lease of %s (%s); only its watchdogs will restore the link", state->interface,
         problem);
}

static int set_link(struct state *state, const struct request *request)
{
    char problem[PROBLEM];
    struct look look;
    if (!look_at(state, false, &look, problem)) return refuse(LINK_FAILED, "%s: %s", state->interface, problem);
    /* What was left half done, or throttles something else, must go before anything else. */
    if (look.attached && !tree_fits(state, &look, &request->level)) {
        free(look.qdiscs);
        if (!release_link(state, problem)) return give_up(state, "what was left cannot be taken off", problem);
        if (!look_at(state, false, &look, problem)) return refuse(LINK_FAILED, "%s: %s", state->interface, problem);
    }
    bool ours = look.kind == KIND_OURS, foreign = look.kind == KIND_FOREIGN;
    if (foreign) {
        fail("the interface %s has a foreign qdisc (%.*s); it was left unchanged", state->interface,
             (int)strcspn(look.qdiscs, "\n"), look.qdiscs);
        remove_state(state);
    }
    const struct level *level = &request->level;
    /* What has room for a latency goes with the rate. */
    bool queue = ours && (level->latency_us > 0 || !queue_fits(look.qdiscs, &level->queue, level->rate_bps));
    free(look.qdiscs);
    if (foreign) return LINK_FOREIGN;
    /* The lease and its keepers come before the tree, so that no moment is without them. */
    bool written =
        replace_file(state->folder, "owner", request->owner) && write_deadline(state->folder, request->lease_s);
    if (!written) return give_up(state, "the lease cannot be written for", strerror(errno));
    if (!ensure_keeper(state, problem)) return give_up(state, "the lease watchdog did not start on", problem);
    arm_timer(state);
    unlinkat(state->folder, "expired", 0);
    bool done = ours ? change_tree(state, level, queue, problem) : attach_tree(state, level, problem);
    if (!done) return give_up(state, "tc refused the throttle on", problem);
    uint64_t deadline;
    if (read_lease(state->folder, &deadline) == LEASE_RUNNING) return EXIT_DONE;
    return give_up(state, "the lease ran out before there was a throttle on", "tc took too long");
}

static int renew_link(struct state *state, const struct request *request)
{
    char problem[PROBLEM];
    uint64_t deadline;
    if (state->folder < 0) return EXIT_DONE;
    switch (read_lease(state->folder, &deadline)) {
    case LEASE_GONE: return EXIT_DONE;
    case LEASE_EXPIRED:
        /* Its keepers should have acted. */
        return restore_expired(state, problem) ? EXIT_DONE : refuse(LINK_FAILED, "%s: %s", state->interface, problem);
    case LEASE_RUNNING: break;
    }
    if (!ensure_keeper(state, problem)) return give_up(state, "the lease watchdog did not start on", problem);
    if (!write_deadline(state->folder, request->lease_s))
        return give_up(state, "the lease cannot be written for", strerror(errno));
    arm_timer(state);
    return EXIT_DONE;
}

static int clear_link(struct state *state)
{
    char problem[PROBLEM];
    if (end_lease(state, problem)) return EXIT_DONE;
    return refuse(LINK_FAILED, "the throttle on %s could not be removed (%s)", state->interface, problem);
}

static int run_link(struct arguments *arguments)
{
    static const char *const netem_words[] = {[KNOWN_NO] = "no", [KNOWN_YES] = "yes", [KNOWN_NEITHER] = "unknown"};
    struct request request;
    struct state state;
    char problem[PROBLEM];
    take_request(arguments, &request);
    umask(022);
    bool show = strcmp(request.verb, "show") == 0, set = strcmp(request.verb, "set") == 0;
    if (!show && geteuid() != 0)
        return refuse(LINK_NO_PRIVILEGE, "only root may change the links: run it as root or with sudo");
    /* By the index alone, as keepers do: the interface may be called something else by now. */
    if (strcmp(request.verb, "expire") == 0)
        return expire_link(request.interface, problem) ? EXIT_DONE : refuse(LINK_FAILED, "%s", problem);
    if (!has_tool("tc") || !has_tool("ip")) return refuse(LINK_NO_TOOL, "tc or ip is missing here: install iproute2");
    int code = find_interface(&request);
    if (code != 0) return code;
    if (request.level.latency_us > 0 && can_make_netem() == KNOWN_NO)
        return refuse(LINK_NO_NETEM, "latency cannot be added here: the kernel has no netem (module sch_netem)");
    enum taken taken = TAKEN;
    if (!show) taken = take_state(&state, request.interface, set, LOCK_WAIT_MS, problem);
    else if (!open_state(&state, request.interface, false, problem)) taken = REFUSED;
    if (taken != TAKEN) return refuse(taken == BUSY ? LINK_BUSY : LINK_FAILED, "%s", problem);
    if (set) code = set_link(&state, &request);
    else if (strcmp(request.verb, "renew") == 0) code = renew_link(&state, &request);
    else if (!show) code = clear_link(&state);
    if (code == EXIT_DONE && !print_report(&state, problem))
        code = refuse(LINK_FAILED, "%s: %s", state.interface, problem);
    if (code == EXIT_DONE && request.netem) printf("@netem %s\n", netem_words[can_make_netem()]);
    close_state(&state);
    if (fflush(stdout) != 0) return refuse(LINK_FAILED, "the report could not be written (%s)", strerror(errno));
    return code;
}
