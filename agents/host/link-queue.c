/* What waits behind the rate of a throttled class: the queues that keep a level of bandwidth from being a level of
   latency too. */
#include "link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fair queues: a class for each value of the flows' hash, which the class above serves packet by packet in turn. */
enum { FLOWS = 64, FIRST_FLOW = 0x10 };

/* Bytes that a flow may have waiting: more than TCP leaves on its own way out, so that nothing is lost there. */
enum { FLOW_BYTES = 1 << 20 };

/* Below this rate a packet of segmentation offload (64 KiB) keeps the link for longer than 1 ms, and is cut first;
   above, cutting costs processor time that a fast link needs. */
static const uint64_t cut_below_bps = 500000000;

/* A queue by time holds a burst of so many packets at least. */
enum { FEWEST_PACKETS = 16, FRAME_BYTES = 32 };

/* Bytes of a packet of which many wait. */
enum { SMALL_PACKET = 256 };

bool parse_queue(const char *text, struct queue *queue)
{
    char *end;
    *queue = (struct queue){.kind = QUEUE_FAIR};
    if (strcmp(text, "fair") == 0) return true;
    queue->kind = QUEUE_FQ_CODEL;
    if (strcmp(text, "fq_codel") == 0) return true;
    queue->kind = QUEUE_TIME;
    queue->seconds = strtod(text, &end) / 1e3;
    return text[0] >= '0' && text[0] <= '9' && strcmp(end, "ms") == 0 && queue->seconds > 0 && queue->seconds <= 10;
}

void format_queue(const struct queue *queue, char text[QUEUE_TEXT])
{
    if (queue->kind == QUEUE_TIME) snprintf(text, QUEUE_TEXT, "%gms", queue->seconds * 1e3);
    else snprintf(text, QUEUE_TEXT, "%s", queue->kind == QUEUE_FAIR ? "fair" : "fq_codel");
}

/* Handles of the queue under a class 7077:N are these and N, one for each kind: the kernel replaces a qdisc by one of
   another kind only if the handle differs too. */
enum { CUTTING = 0x7100, WHOLE = 0x7200, CUTTING_LATE = 0x7300, LATE_BEHIND = 0x7400, LATE = 0x7500 };

/* netem(8) holds packets, not bytes: as many as small ones may be in the queue's bytes and in what the rate passes
   meanwhile. They are no longer counted against TCP's own bound for what it has on its way out. */
static void write_netem(FILE *batch, const struct tree *tree, uint64_t bytes)
{
    double passing = (double)tree->rate_bps / 8 * tree->latency_us / 1e6;
    fprintf(batch, "netem delay %uus limit %" PRIu64 "\n", tree->latency_us,
            ((uint64_t)passing + bytes) / SMALL_PACKET + 1);
}

/* A queue of so many bytes under class 7077:N. tbf at a rate that never holds anything back only cuts packets. With a
   latency each packet first waits for that, then as others do for its turn. netem counts packets behind tbf, which has
   cut them; tbf behind netem would stop for good in kernels that do not count so. */
static void write_fifo(FILE *batch, const struct tree *tree, unsigned n, uint64_t bytes)
{
    bool late = tree->latency_us > 0, cuts = tree->rate_bps < cut_below_bps;
    unsigned handle = n + (cuts ? late ? CUTTING_LATE : CUTTING : late ? LATE : WHOLE);
    fprintf(batch, "qdisc replace dev %s parent " HANDLE "%x handle %x: ", tree->device, n, handle);
    if (cuts) fprintf(batch, "tbf rate 1tbit burst %u limit %" PRIu64 "\n", tree->mtu + FRAME_BYTES, bytes);
    else if (!late) fprintf(batch, "bfifo limit %" PRIu64 "\n", bytes);
    if (cuts && late)
        fprintf(batch, "qdisc replace dev %s parent %x:1 handle %x: ", tree->device, handle, LATE_BEHIND + n);
    if (late) write_netem(batch, tree, bytes);
}

void write_changed_queue(FILE *batch, const struct tree *tree)
{
    uint64_t bytes = (uint64_t)((double)tree->rate_bps / 8 * tree->queue.seconds);
    uint64_t fewest = FEWEST_PACKETS * ((uint64_t)tree->mtu + FRAME_BYTES);
    switch (tree->queue.kind) {
    case QUEUE_FAIR:
        for (unsigned flow = FIRST_FLOW; flow < FIRST_FLOW + FLOWS; flow++) write_fifo(batch, tree, flow, FLOW_BYTES);
        break;
    case QUEUE_TIME: write_fifo(batch, tree, 2, bytes > fewest ? bytes : fewest); break;
    case QUEUE_FQ_CODEL: fprintf(batch, "qdisc replace dev %s parent " HANDLE "2 fq_codel\n", tree->device); break;
    }
}

/* Classic BPF (`linux/bpf_common.h`), as `tc` takes it: code, jump if true, jump if false, operand. The network header
   lies at -0x100000, the protocol at -0x1000. */
static const char *const flow_hash[] = {
    "40 0 0 4294963200", /*  0 load the protocol */
    "21 7 0 34525",      /*  1 IPv6: go on at 9 */
    "32 0 0 4293918732", /*  2 the sender's address */
    "7 0 0 0",           /*  3 x = a */
    "32 0 0 4293918736", /*  4 the receiver's */
    "12 0 0 0",          /*  5 a += x */
    "7 0 0 0",           /*  6 x = a */
    "32 0 0 4293918740", /*  7 both ports */
    "5 0 0 6",           /*  8 go on at 15 */
    "32 0 0 4293918740", /*  9 the end of the sender's address */
    "7 0 0 0",           /* 10 x = a */
    "32 0 0 4293918756", /* 11 the end of the receiver's */
    "12 0 0 0",          /* 12 a += x */
    "7 0 0 0",           /* 13 x = a */
    "32 0 0 4293918760", /* 14 both ports */
    "12 0 0 0",          /* 15 a += x */
    "36 0 0 2654435761", /* 16 a *= 2^32 / golden ratio */
    "116 0 0 26",        /* 17 its first six bits are one of FLOWS */
    "4 0 0 1886846992",  /* 18 a += 7077:10, the class of FIRST_FLOW */
    "22 0 0 0",          /* 19 return a */
};

void write_added_queue(FILE *batch, const struct tree *tree)
{
    const char *device = tree->device;
    if (tree->queue.kind == QUEUE_FAIR) {
        for (int flow = FIRST_FLOW; flow < FIRST_FLOW + FLOWS; flow++)
            fprintf(batch,
                    "class add dev %s parent " HANDLE "2 classid " HANDLE "%x htb rate 8bit ceil 100gbit burst %u "
                    "cburst 60000 quantum %u\n",
                    device, (unsigned)flow, tree->mtu + FRAME_BYTES, tree->mtu + FRAME_BYTES);
        size_t count = sizeof flow_hash / sizeof *flow_hash;
        fprintf(batch, "filter add dev %s parent " HANDLE "2 protocol all prio 1 bpf bytecode \"%zu", device, count);
        for (size_t i = 0; i < count; i++) fprintf(batch, ",%s", flow_hash[i]);
        fprintf(batch, "\" flowid " HANDLE "%x\n", FIRST_FLOW);
        /* Packets too short to have what is loaded. */
        fprintf(batch,
                "filter add dev %s parent " HANDLE "2 protocol all prio 2 u32 match u32 0 0 flowid " HANDLE "%x\n",
                device, FIRST_FLOW);
    }
    write_changed_queue(batch, tree);
}

static int count(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) found++;
    return found;
}

bool queue_fits(const char *qdiscs, const struct queue *queue, uint64_t rate_bps)
{
    switch (queue->kind) {
    case QUEUE_FAIR:
        return count(qdiscs, rate_bps < cut_below_bps ? "qdisc tbf " : "qdisc bfifo ") == FLOWS &&
               count(qdiscs, "qdisc netem ") == 0;
    case QUEUE_FQ_CODEL: return count(qdiscs, "qdisc fq_codel ") == 1;
    case QUEUE_TIME: break;
    }
    return false;
}

bool queue_stands(const char *qdiscs, const struct queue *queue)
{
    return strstr(qdiscs, queue->kind == QUEUE_FAIR ? " parent " HANDLE "10 " : " parent " HANDLE "2 ") != NULL;
}

/* A time as tc prints it, such as 500us; ms. */
static double read_delay_ms(const char *text)
{
    char *unit;
    double number = strtod(text, &unit);
    return strncmp(unit, "ms", 2) == 0 ? number : strncmp(unit, "us", 2) == 0 ? number / 1e3 : number * 1e3;
}

double shown_latency_ms(const char *qdiscs)
{
    int found = 0;
    double first = 0;
    for (const char *at = qdiscs; (at = strstr(at, "qdisc netem ")); at++, found++) {
        const char *end = at + strcspn(at, "\n"), *delay = strstr(at, " delay ");
        double here = delay && delay < end ? read_delay_ms(delay + 7) : 0;
        if (found > 0 && here != first) return -1;
        first = here;
    }
    return found == 0 || found == FLOWS ? first : -1;
}
