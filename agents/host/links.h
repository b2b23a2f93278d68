/* The network interfaces of this process's network namespace, over rtnetlink. (Not over /sys:
   that shows the namespace in which it was mounted.) */
#ifndef LINKS_H
#define LINKS_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct link_address {
    int family;
    uint8_t bytes[16];
    int prefix;
    char text[64]; /* "10.0.0.1" */
};

enum { LINK_ADDRESSES = 32 };

struct link {
    int index;
    char name[IF_NAMESIZE];
    char mac[64]; /* "" when it has none; InfiniBand's has 20 bytes */
    char type[24];
    uint32_t mtu;
    bool up;                 /* set up and, where it can tell, with a carrier */
    int64_t speed_mbit;      /* -1 when unknown */
    int master;              /* index of the bond or bridge that it is a part of; 0 without one */
    int lower;               /* index of the device in this namespace on which it stands; 0 without one */
    uint64_t sent, received; /* bytes since boot */
    int addresses_count;
    struct link_address addresses[LINK_ADDRESSES];
};

/* Fills *links (the caller frees it) and returns their count, or -1 with errno. */
int list_links(struct link **links);

struct network {
    int family;
    uint8_t bytes[16];
    int prefix;
};

/* "10.0.0.0/24"; false when it is none. */
bool parse_network(const char *text, struct network *network);
bool network_contains(const struct network *network, const struct link_address *address);

/* The data link: the interface of that name, or where `name` is NULL the one with an address in the network, one that
   is up before others. NULL when there is none. */
const struct link *data_link(const struct link *links, int count, const char *name, const struct network *network);
/* Its address in the network; where `network` is NULL its first IPv4 one, else its first. NULL when there is none. */
const struct link_address *data_address(const struct link *link, const struct network *network);

/* Whether the bytes that a link counts are its own, and not those of another link of this host once more (a VLAN, a
   bond, a tunnel); see links-carriers.c. */
bool carries_own(const struct link *link);
/* Whether all bytes of `data` pass this link too: a member of its bond, the device below a VLAN. */
bool is_below(const struct link *links, int count, const struct link *data, const struct link *link);

/* Whether `ip link add type ifb` can work here; see kernel-kinds.c. */
bool can_make_ifb(void);
/* The same of `tc qdisc add ... netem`, which without root nobody may ask the kernel. */
enum known { KNOWN_NO, KNOWN_YES, KNOWN_NEITHER };
enum known can_make_netem(void);

#endif
