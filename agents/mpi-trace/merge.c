/* Two calls in a row of one thread are merged when both are below `short_ns` and the stretch from one to the other is
   below LONGEST_STRETCH times that: what is lost is which of them was when, within so much. The sums stay. A collective
   call is short where a rank came last, which is what others waited for: such are merged when nothing else helps. A
   mark of the program stays what it is. */
#include "merge.h"

#include "names.h"

enum { LEAST_NS = 1000, LONGEST_STRETCH = 1000 };
static const int64_t PLAIN_UP_TO_NS = 100000000, UP_TO_NS = 3600000000000;

static int takes_collectives;

static int64_t within_ns(const struct call_record *r)
{
    return r->flags & CALL_MERGED ? (int64_t)r->group : r->end_ns - r->start_ns;
}

static int64_t calls_of(const struct call_record *r) { return r->flags & CALL_MERGED ? r->calls : 1; }

static int is_mark(const struct call_record *r)
{
    return !(r->flags & CALL_MERGED) && (r->name == CALL_Pcontrol_on || r->name == CALL_Pcontrol_off);
}

static int is_short(const struct call_record *r, int64_t short_ns)
{
    if (is_mark(r)) return 0;
    if (r->order != 0 && !takes_collectives) return 0;
    return within_ns(r) < short_ns * calls_of(r);
}

static int merge(struct trace_header *header, struct call_record *a, const struct call_record *b)
{
    const int64_t short_ns = header->short_ns;
    if (a->thread != b->thread || !is_short(a, short_ns) || !is_short(b, short_ns)) return 0;
    if (b->end_ns - a->start_ns >= short_ns * LONGEST_STRETCH) return 0;
    header->merged += (uint64_t)(b->flags & CALL_MERGED ? 0 : 1) + (a->flags & CALL_MERGED ? 0 : 1);
    a->group = (uint64_t)(within_ns(a) + within_ns(b));
    a->calls = (uint32_t)(calls_of(a) + calls_of(b));
    a->end_ns = b->end_ns;
    a->bytes += b->bytes;
    a->queued_ns += b->queued_before_ns + b->queued_ns;
    a->order = 0;
    a->peer = -1;
    a->flags = CALL_MERGED;
    return 1;
}

int merge_last(struct store *calls, const struct call_record *next)
{
    struct trace_header *header = calls->header;
    if (header->short_ns == 0 || header->count == 0) return 0;
    return merge(header, (struct call_record *)calls->records + header->count - 1, next);
}

/* A killed process leaves records that are valid, some of them perhaps twice over a moment: the count falls last. */
static void merge_all(struct store *calls)
{
    struct call_record *records = (struct call_record *)calls->records;
    uint64_t kept = 0;
    for (uint64_t i = 1; i < calls->header->count; i++) {
        if (merge(calls->header, &records[kept], &records[i])) continue;
        records[++kept] = records[i];
    }
    __atomic_store_n(&calls->header->count, kept + 1, __ATOMIC_RELEASE);
}

int merge_calls(struct store *calls)
{
    struct trace_header *header = calls->header;
    const uint64_t most = calls->most;
    if (header->count == 0) return 0;
    while (header->count > most / 4 * 3) {
        if (header->short_ns >= PLAIN_UP_TO_NS && !takes_collectives) {
            takes_collectives = 1;
            header->short_ns = 0;
        }
        if (header->short_ns >= UP_TO_NS) break;
        header->short_ns = header->short_ns == 0 ? LEAST_NS : 2 * header->short_ns;
        merge_all(calls);
    }
    return header->count < most;
}
