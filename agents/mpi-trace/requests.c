#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, AT_ONCE = 256 };

struct node {
    uint64_t handle;
    const void *maker; /* its thread */
    struct request request;
    struct node *next;
};

static struct node *buckets[BUCKETS], *unused;

static uint64_t key_of(MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return key;
}

static __thread char self;

/* The first that this thread made, else the first: a library gives the handle of a complete request to others while the
   thread that waited for it has not come to take its record. */
static struct node **place_of(uint64_t key)
{
    struct node **place = &buckets[(key * 0x9e3779b97f4a7c15u >> 40) % BUCKETS], **other = NULL;
    for (; *place; place = &(*place)->next) {
        if ((*place)->handle != key) continue;
        if ((*place)->maker == &self) return place;
        if (!other) other = place;
    }
    return other ? other : place;
}

static struct node *take_unused(void)
{
    if (!unused) {
        struct node *more = malloc(AT_ONCE * sizeof *more);
        if (!more) abort();
        for (int i = 0; i < AT_ONCE; i++) {
            more[i].next = unused;
            unused = &more[i];
        }
    }
    struct node *node = unused;
    unused = node->next;
    return node;
}

void request_add(MPI_Request handle, const struct request *request)
{
    if (handle == MPI_REQUEST_NULL) return;
    uint64_t key = key_of(handle);
    struct node **place = place_of(key);
    while (*place) place = &(*place)->next;
    struct node *node = take_unused();
    *node = (struct node){.handle = key, .maker = &self, .request = *request};
    *place = node;
}

struct request *request_find(MPI_Request handle)
{
    struct node *node = *place_of(key_of(handle));
    return node ? &node->request : NULL;
}

int request_take(MPI_Request handle, struct request *taken)
{
    struct node **place = place_of(key_of(handle)), *node = *place;
    if (!node) return 0;
    *taken = node->request;
    *place = node->next;
    node->next = unused;
    unused = node;
    return 1;
}
