/* Looks at a link, puts the tree on it, changes it, and takes it off. What is not ours is never touched: ours is a root
   htb 7077: on an interface whose index stands in the state folder, where it is written before the tree is added. */
#include "files.h"
#include "link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void name_back(unsigned index, char name[IF_NAMESIZE]) { snprintf(name, IF_NAMESIZE, "predict%u", index % 100000000); }

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

static bool show_qdiscs(const char *interface, char **qdiscs, char problem[PROBLEM])
{
    if (run_tool((const char *const[]){"tc", "qdisc", "show", "dev", interface, NULL}, NULL, qdiscs, problem) == 0)
        return true;
    free(*qdiscs);
    *qdiscs = NULL;
    return false;
}

/* The qdiscs and the two classes of the interface and of the device behind it, in one run of tc, cut where
   one kind of lines ends; false when that is not what came. */
static bool show_counters(const char *interface, const char *back, struct look *look)
{
    char batch[512], said[PROBLEM];
    static const char show[] =
        "qdisc show dev %s\nclass show dev %s classid " HANDLE "1\nclass show dev %s classid " HANDLE "2\n";
    int length = snprintf(batch, sizeof batch, show, interface, interface, interface);
    snprintf(batch + length, sizeof batch - (size_t)length, show, back, back, back);
    const char *const words[] = {"tc", "-s", "-batch", "-", NULL};
    bool shown = run_tool(words, batch, &look->qdiscs, said) == 0;
    static const char *const starts[] = {"\nclass ", "\nqdisc ", "\nclass "};
    char *parts[3], *at = look->qdiscs;
    for (int i = 0; shown && i < 3; i++) {
        parts[i] = at = strstr(at, starts[i]);
        shown = at != NULL;
        if (shown) *at++ = '\0';
    }
    if (shown) {
        look->out = parts[0] + 1;
        look->behind = parts[1] + 1;
        look->in = parts[2] + 1;
        return true;
    }
    free(look->qdiscs);
    look->qdiscs = NULL;
    return false;
}

bool look_at(const struct state *state, bool counters, struct look *look, char problem[PROBLEM])
{
    *look = (struct look){.kind = KIND_FREE};
    if (!attached_index(state->folder, &look->attached, problem)) return false;
    bool ours = look->attached && look->attached == if_nametoindex(state->interface);
    char back[IF_NAMESIZE];
    name_back(look->attached, back);
    bool backed = ours && if_nametoindex(back);
    bool counted = counters && backed && show_counters(state->interface, back, look);
    if (!counted && !show_qdiscs(state->interface, &look->qdiscs, problem)) return false;
    const char *qdiscs = look->qdiscs;
    bool ingress = has(qdiscs, "qdisc ingress ");
    if (ours && has(qdiscs, "qdisc htb " HANDLE " root")) look->kind = KIND_OURS;
    else if (ingress || has(qdiscs, "qdisc clsact ")) look->kind = KIND_FOREIGN;
    /* A qdisc that somebody set has a handle; the kernel's own default has 0:. */
    else if (has(qdiscs, " root") && !has(qdiscs, " 0: root")) look->kind = KIND_FOREIGN;
    return true;
}

static bool show_redirect(const char *interface, char **filters, char problem[PROBLEM])
{
    return run_tool((const char *const[]){"tc", "filter", "show", "dev", interface, "parent", "ffff:", NULL}, NULL,
                    filters, problem) == 0;
}

static bool names(const char *filters, const char *back)
{
    size_t length = strlen(back);
    for (const char *at = filters; at && (at = strstr(at, back)); at += length)
        if (at[length] < '0' || at[length] > '9') return true;
    return false;
}

enum { SCOPE_TEXT = NETWORK_TEXT + QUEUE_TEXT + 16 };

/* What is throttled and how it queues, whatever the rate; a tree of an agent that left IPv6 free has another one. */
static void describe_scope(const struct level *level, char text[SCOPE_TEXT])
{
    char queue[QUEUE_TEXT];
    format_queue(&level->queue, queue);
    snprintf(text, SCOPE_TEXT, "%s %u %s\n", level->network[0] ? level->network : "all", level->ssh_port, queue);
}

bool tree_fits(const struct state *state, const struct look *look, const struct level *level)
{
    char back[IF_NAMESIZE], wanted[SCOPE_TEXT], found[SCOPE_TEXT] = "", *filters, ignored[PROBLEM];
    if (look->kind != KIND_OURS) return false;
    describe_scope(level, wanted);
    read_small(state->folder, "scope", found, sizeof found);
    name_back(look->attached, back);
    if (strcmp(wanted, found) != 0 || !if_nametoindex(back) || !has(look->qdiscs, "qdisc ingress ") ||
        !queue_stands(look->qdiscs, &level->queue))
        return false;
    bool fits = show_redirect(state->interface, &filters, ignored) && names(filters, back);
    free(filters);
    return fits;
}

/* Runs a batch that `write` makes; `problem` gets the tool's words. */
static bool run_batch(const char *tool, const char *batch, char problem[PROBLEM])
{
    return run_tool((const char *const[]){tool, "-batch", "-", NULL}, batch, NULL, problem) == 0;
}

/* Bytes that a packet of the interface may have; Ethernet's where it cannot be asked for. */
static unsigned read_mtu(const char *interface)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    bool known = fd >= 0 && ioctl(fd, SIOCGIFMTU, &request) == 0 && request.ifr_mtu > 0;
    if (fd >= 0) close(fd);
    return known ? (unsigned)request.ifr_mtu : 1500;
}

static struct tree tree_of(const struct level *level, const char *device, const char *side, unsigned mtu)
{
    return (struct tree){.device = device,
                         .side = side,
                         .network = level->network[0] ? level->network : NULL,
                         .ssh_port = level->ssh_port,
                         .mtu = mtu,
                         .rate_bps = level->rate_bps,
                         .burst_bytes = level->burst_bytes,
                         .queue = level->queue};
}

/* What is sent waits; what comes has waited where it was sent. */
static struct tree outgoing_tree(const struct level *level, const char *interface, unsigned mtu)
{
    struct tree tree = tree_of(level, interface, "dst", mtu);
    tree.latency_us = level->latency_us;
    return tree;
}

static bool make_back(const char *back, char problem[PROBLEM])
{
    char batch[160], removal[48] = "", ignored[PROBLEM];
    /* A module that `ip link add` loads by itself brings two devices that nobody asked for. */
    if (access("/sys/module/ifb", F_OK) != 0)
        run_tool((const char *const[]){"modprobe", "ifb", "numifbs=0", NULL}, NULL, NULL, ignored);
    if (if_nametoindex(back)) snprintf(removal, sizeof removal, "link del %s\n", back);
    snprintf(batch, sizeof batch, "%slink add %s type ifb\nlink set %s up\n", removal, back, back);
    return run_batch("ip", batch, problem);
}

bool attach_tree(const struct state *state, const struct level *level, char problem[PROBLEM])
{
    unsigned index = if_nametoindex(state->interface);
    char back[IF_NAMESIZE], mark[32], scope[SCOPE_TEXT];
    name_back(index, back);
    snprintf(mark, sizeof mark, "%u\n", index);
    describe_scope(level, scope);
    snprintf(problem, PROBLEM, "the state folder cannot be written");
    if (!replace_file(state->folder, "scope", scope) || !replace_file(state->folder, "attached", mark) ||
        !make_back(back, problem))
        return false;
    char *text = NULL;
    size_t size;
    FILE *batch = open_memstream(&text, &size);
    if (!batch) return false;
    unsigned mtu = read_mtu(state->interface);
    struct tree in = tree_of(level, back, "src", mtu), out = outgoing_tree(level, state->interface, mtu);
    write_added_tree(batch, &in);
    write_added_tree(batch, &out);
    write_redirect(batch, state->interface, back);
    bool done = fclose(batch) == 0 && run_batch("tc", text, problem);
    free(text);
    return done;
}

bool change_tree(const struct state *state, const struct level *level, bool queue, char problem[PROBLEM])
{
    char back[IF_NAMESIZE], *text = NULL;
    size_t size;
    name_back(if_nametoindex(state->interface), back);
    FILE *batch = open_memstream(&text, &size);
    if (!batch) return false;
    unsigned mtu = read_mtu(state->interface);
    struct tree in = tree_of(level, back, "src", mtu), out = outgoing_tree(level, state->interface, mtu);
    write_changed_rate(batch, &out);
    write_changed_rate(batch, &in);
    /* The interface's last: by its own it is seen whether both are whole. */
    if (queue) write_changed_queue(batch, &in);
    if (queue) write_changed_queue(batch, &out);
    bool done = fclose(batch) == 0 && run_batch("tc", text, problem);
    free(text);
    return done;
}

/* Removes the ingress qdisc if it holds our redirect (also to an ifb that is gone), or nothing yet; *foreign when it
   holds something else. */
static void remove_redirect(const char *interface, const char *back, bool *foreign, char said[PROBLEM])
{
    char *filters;
    const char *const remove[] = {"tc", "qdisc", "del", "dev", interface, "ingress", NULL};
    bool shown = show_redirect(interface, &filters, said);
    *foreign = shown && has(filters, "filter") && !has(filters, "device *)") && !names(filters, back);
    free(filters);
    if (shown && !*foreign) run_tool(remove, NULL, NULL, said);
}

/* Takes our redirect and our root off the interface. What counts is that they are gone: another process, such as a
   keeper that could not have the lock, may be doing the same. */
static bool detach_tree(const char *interface, const char *back, char problem[PROBLEM])
{
    const char *const remove[] = {"tc", "qdisc", "del", "dev", interface, "root", "handle", HANDLE, NULL};
    const char *const root = "qdisc htb " HANDLE " root", *const ingress = "qdisc ingress ";
    char *qdiscs, first[PROBLEM] = "", second[PROBLEM] = "";
    bool foreign = false;
    if (!show_qdiscs(interface, &qdiscs, problem)) return false;
    if (has(qdiscs, ingress)) remove_redirect(interface, back, &foreign, first);
    if (has(qdiscs, root)) run_tool(remove, NULL, NULL, second);
    free(qdiscs);
    if (!show_qdiscs(interface, &qdiscs, problem)) return false;
    bool gone = !has(qdiscs, root) && (foreign || !has(qdiscs, ingress));
    const char *why = first[0] ? first : second[0] ? second : "tc says nothing against it, but did not do it";
    if (!gone) snprintf(problem, PROBLEM, "%s", why);
    free(qdiscs);
    return gone;
}

bool release_link(const struct state *state, char problem[PROBLEM])
{
    unsigned index;
    char back[IF_NAMESIZE], interface[IF_NAMESIZE];
    if (!attached_index(state->folder, &index, problem)) return false;
    if (index == 0) return true;
    name_back(index, back);
    if (if_indextoname(index, interface)) {
        if (!detach_tree(interface, back, problem)) return false;
    } else if (errno != ENXIO) {
        snprintf(problem, PROBLEM, "the interface with index %u cannot be looked up (%s)", index, strerror(errno));
        return false;
    }
    if (if_nametoindex(back) &&
        run_tool((const char *const[]){"ip", "link", "del", back, NULL}, NULL, NULL, problem) != 0 &&
        if_nametoindex(back))
        return false;
    if (state->lock < 0 || unlinkat(state->folder, "attached", 0) == 0 || errno == ENOENT) return true;
    snprintf(problem, PROBLEM, "the state folder cannot be written (%s)", strerror(errno));
    return false;
}
