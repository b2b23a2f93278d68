/* What is on a link, as lines that `readState` (throttle/state.ts) reads. */
#include "files.h"
#include "link.h"
#include "links.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes sent and received since boot, as the calling process's network namespace counts them: by the data link, by
   links below it that carry the same bytes, and by all others that carry bytes of their own. A link that is down is
   among them: it may come up during a run. */
static void print_bytes(const char *interface)
{
    struct link *links;
    int count = list_links(&links);
    if (count < 0) return;
    const struct link *data = data_link(links, count, interface, NULL);
    for (int i = 0; data && i < count; i++) {
        const struct link *link = &links[i];
        bool below = is_below(links, count, data, link);
        if (link != data && !below && !carries_own(link)) continue;
        if (link == data) printf("@bytes ");
        else printf("@%s %s ", below ? "below" : "other", is_interface_name(link->name) ? link->name : "?");
        printf("%llu %llu\n", (unsigned long long)link->sent, (unsigned long long)link->received);
    }
    free(links);
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
    print_bytes(state->interface);
    print_root("qdisc", look.qdiscs);
    if (look.kind == KIND_OURS) printf("@latency %.9g\n", shown_latency_ms(look.qdiscs));
    if (look.kind == KIND_OURS && look.out) {
        printf("@class out\n%s\n@class in\n%s\n", look.out, look.in);
        print_root("qdisc in", look.behind);
    }
    free(look.qdiscs);
    return true;
}
