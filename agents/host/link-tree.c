/* The qdisc tree that throttles one device, as lines for `tc -batch`. Root htb under our own handle; class 1 (default)
   is not throttled, class 2 is. TCP of the ssh port, IPv6's neighbour discovery and what is not IP stay in class 1; the
   data network's IPv4 addresses and all other IPv6 go to class 2. Class 1 counts what passes by the throttle. */
#include "link.h"

#include <inttypes.h>

uint64_t option_rate(struct arguments *arguments) { return (uint64_t)option_number(arguments, 8, 1e13); }

uint64_t option_burst(struct arguments *arguments) { return (uint64_t)option_number(arguments, 1, 4e9); }

/* A class that is held at a rate. */
static void write_class(FILE *batch, const char *verb, const char *device, const char *parent, const char *class,
                        uint64_t rate_bps, uint64_t burst_bytes)
{
    fprintf(batch,
            "class %s dev %s parent %s classid %s htb rate %" PRIu64 "bit ceil %" PRIu64 "bit burst %" PRIu64
            " cburst %" PRIu64 " quantum 60000\n",
            verb, device, parent, class, rate_bps, rate_bps, burst_bytes, burst_bytes);
}

/* u32 holds one protocol per priority. Headers of IPv6 are taken to have no extensions: a packet with some is
   throttled. */
static void write_filters(FILE *batch, const struct tree *tree)
{
    static const char *const families[] = {"ip", "ip6"}, *const protocols[] = {"ip", "ipv6"};
    static const char *const ports[] = {"sport", "dport"};
    const char *device = tree->device;
    for (int family = 0; family < 2; family++)
        for (int i = 0; i < 2; i++)
            fprintf(batch,
                    "filter add dev %s parent " HANDLE " protocol %s prio %d u32 match %s protocol 6 0xff "
                    "match %s %s %u 0xffff flowid " HANDLE "1\n",
                    device, protocols[family], 1 + 2 * family, families[family], families[family], ports[i],
                    tree->ssh_port);
    /* ICMPv6 of the types 132 to 139: who does not hear of a router or a neighbour in time takes it for gone. */
    for (unsigned types = 0x84; types <= 0x88; types += 4)
        fprintf(batch,
                "filter add dev %s parent " HANDLE " protocol ipv6 prio 3 u32 match ip6 protocol 58 0xff "
                "match u8 %#x 0xfc at 40 flowid " HANDLE "1\n",
                device, types);
    fprintf(batch, "filter add dev %s parent " HANDLE " protocol ip prio 2 u32 match ", device);
    if (tree->network) fprintf(batch, "ip %s %s", tree->side, tree->network);
    else fputs("u32 0 0", batch);
    fputs(" flowid " HANDLE "2\n", batch);
    fprintf(batch, "filter add dev %s parent " HANDLE " protocol ipv6 prio 4 u32 match u32 0 0 flowid " HANDLE "2\n",
            device);
}

void write_added_tree(FILE *batch, const struct tree *tree)
{
    const char *device = tree->device;
    fprintf(batch, "qdisc add dev %s root handle " HANDLE " htb default 1\n", device);
    fprintf(batch, "class add dev %s parent " HANDLE " classid " HANDLE "1 htb rate 100gbit quantum 60000\n", device);
    write_class(batch, "add", device, HANDLE, HANDLE "2", tree->rate_bps, tree->burst_bytes);
    write_added_queue(batch, tree);
    write_filters(batch, tree);
}

void write_changed_rate(FILE *batch, const struct tree *tree)
{
    write_class(batch, "change", tree->device, HANDLE, HANDLE "2", tree->rate_bps, tree->burst_bytes);
}

/* Sends what arrives on `device` through the tree of `back` (an ifb). */
void write_redirect(FILE *batch, const char *device, const char *back)
{
    fprintf(batch, "qdisc add dev %s ingress\n", device);
    fprintf(batch,
            "filter add dev %s parent ffff: protocol all prio 1 u32 match u32 0 0 "
            "action mirred egress redirect dev %s\n",
            device, back);
}

/* Like a throttled link, but with all that passes in class 2: full bandwidth differs from a level in its rate alone. */
void write_shaped_device(FILE *batch, const struct tree *tree)
{
    fprintf(batch, "qdisc add dev %s root handle " HANDLE " htb default 1\n", tree->device);
    write_class(batch, "add", tree->device, HANDLE, HANDLE "2", tree->rate_bps, tree->burst_bytes);
    write_added_queue(batch, tree);
    fprintf(batch, "filter add dev %s parent " HANDLE " protocol all prio 1 u32 match u32 0 0 flowid " HANDLE "2\n",
            tree->device);
}
