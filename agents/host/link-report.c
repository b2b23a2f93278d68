/* What is on a link, as lines that `readState` (throttle/state.ts) reads. */
#include "files.h"
#include "link.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes sent and received by the interface since boot, from the calling process's network namespace. */
static bool read_bytes(const char *interface, uint64_t *sent, uint64_t *received)
{
    char *text = read_whole("/proc/net/dev"), name[IF_NAMESIZE + 2];
    snprintf(name, sizeof name, "%s:", interface);
    const char *at = text;
    /* Names are set right, behind blanks. */
    while ((at = at ? strchr(at, '\n') : NULL)) {
        at++;
        at += strspn(at, " ");
        if (strncmp(at, name, strlen(name)) != 0) continue;
        at += strlen(name);
        *received = take_count(&at);
        for (int skipped = 0; skipped < 7; skipped++) take_count(&at);
        *sent = take_count(&at);
        break;
    }
    bool found = at != NULL;
    free(text);
    return found;
}

static void print_file(int folder, const char *name)
{
    char text[256] = "";
    if (folder >= 0) read_small(folder, name, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    printf("@%s %s\n", name, text);
}

/* The root and its counters, without the queues below it. */
static void print_root(const char *name, const char *qdiscs)
{
    const char *next = strstr(qdiscs, "\nqdisc ");
    printf("@%s\n%.*s\n", name, next ? (int)(next - qdiscs) : (int)strlen(qdiscs), qdiscs);
}

bool print_report(const struct state *state, char problem[PROBLEM])
{
    static const char *const kinds[] = {[KIND_FREE] = "free", [KIND_OURS] = "ours", [KIND_FOREIGN] = "foreign"};
    struct look look;
    uint64_t sent, received;
    char expired[8];
    if (!look_at(state, true, &look, problem)) return false;
    printf("@interface %s\n@state %s\n", state->interface, kinds[look.kind]);
    /* Whoever could read a keeper's lock could hold one in its place: only root can. */
    bool unseen = state->folder >= 0 && geteuid() != 0;
    printf("@keeper %s\n", unseen ? "unseen" : state->folder >= 0 && keeper_lives(state->folder) ? "running" : "none");
    printf("@timer %s\n", timer_armed(state->folder) ? "armed" : "none");
    printf("@uptime %.2f\n", (double)now_ns(BOOTTIME) / 1e9);
    print_file(state->folder, "deadline");
    print_file(state->folder, "owner");
    if (state->folder >= 0 && read_small(state->folder, "expired", expired, sizeof expired) >= 0) puts("@expired");
    if (read_bytes(state->interface, &sent, &received))
        printf("@bytes %llu %llu\n", (unsigned long long)sent, (unsigned long long)received);
    print_root("qdisc", look.qdiscs);
    if (look.kind == KIND_OURS && look.out) {
        printf("@class out\n%s\n@class in\n%s\n", look.out, look.in);
        print_root("qdisc in", look.behind);
    }
    free(look.qdiscs);
    return true;
}
