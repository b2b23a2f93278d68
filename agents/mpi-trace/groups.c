#include "groups.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct entry {
    uint64_t handle;
    struct group group;
    struct entry *next;
};

static struct entry *buckets[BUCKETS];

/* Finalizer of splitmix64 over both. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Handles are pointers or numbers; those of windows and communicators may be the same. */
static uint64_t key_of(const void *handle, size_t bytes, int window)
{
    uint64_t key = 0;
    memcpy(&key, handle, bytes);
    return key * 2 + (uint64_t)window;
}

static struct entry **place_of(uint64_t key)
{
    struct entry **place = &buckets[mix(key, 0) % BUCKETS];
    while (*place && (*place)->handle != key) place = &(*place)->next;
    return place;
}

/* Whom ranks of the communicator mean by a number; takes the group. */
static void translate_group(struct group *g, MPI_Group members)
{
    MPI_Group world;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(members, &g->ranks);
    int *ranks = malloc((size_t)g->ranks * sizeof *ranks + 1);
    g->world = malloc((size_t)g->ranks * sizeof *g->world + 1);
    if (!ranks || !g->world) abort();
    for (int i = 0; i < g->ranks; i++) ranks[i] = i;
    PMPI_Group_translate_ranks(members, g->ranks, ranks, world, g->world);
    for (int i = 0; i < g->ranks; i++) {
        if (g->world[i] == MPI_UNDEFINED) g->world[i] = -1;
    }
    free(ranks);
    PMPI_Group_free(&members);
    PMPI_Group_free(&world);
}

static void translate(struct group *g, MPI_Comm comm)
{
    MPI_Group members;
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_group(comm, &members);
    } else {
        PMPI_Comm_group(comm, &members);
    }
    translate_group(g, members);
    PMPI_Comm_rank(comm, &g->own);
}

static int lowest(const struct group *g)
{
    int least = g->ranks > 0 ? g->world[0] : -1;
    for (int i = 1; i < g->ranks; i++) {
        if (g->world[i] < least) least = g->world[i];
    }
    return least;
}

static struct group *insert(uint64_t key)
{
    struct entry **place = place_of(key);
    if (*place) {
        free((*place)->group.world);
    } else {
        *place = calloc(1, sizeof **place);
        if (!*place) abort();
    }
    (*place)->handle = key;
    (*place)->group = (struct group){0};
    return &(*place)->group;
}

static void forget(uint64_t key)
{
    struct entry **place = place_of(key), *gone = *place;
    if (!gone) return;
    *place = gone->next;
    free(gone->group.world);
    free(gone);
}

/* 48 bits: numbers that every reader holds exactly. */
static uint64_t name(uint64_t id) { return id >> 16; }

struct group *group_of(MPI_Comm comm)
{
    static MPI_Comm last;
    static struct group *last_group;
    if (last_group && comm == last) return last_group;
    uint64_t key = key_of(&comm, sizeof comm, 0);
    struct entry *known = *place_of(key);
    struct group *g = known ? &known->group : NULL;
    if (!g) {
        g = insert(key);
        translate(g, comm);
        g->id = comm == MPI_COMM_WORLD ? 1 : name(mix(mix(2, (uint64_t)lowest(g)), (uint64_t)g->ranks));
    }
    if (comm == MPI_COMM_WORLD) {
        last = comm;
        last_group = g;
    }
    return g;
}

struct group *group_of_window(MPI_Win window)
{
    struct entry *known = *place_of(key_of(&window, sizeof window, 1));
    return known ? &known->group : NULL;
}

void group_made(MPI_Comm made, MPI_Comm of)
{
    struct group *parent = group_of(of);
    uint32_t child = ++parent->children;
    uint64_t parent_id = parent->id;
    if (made == MPI_COMM_NULL) return;
    struct group *g = insert(key_of(&made, sizeof made, 0));
    translate(g, made);
    g->id = name(mix(mix(parent_id, child), (uint64_t)lowest(g)));
}

void group_made_between(MPI_Comm made, int tag)
{
    if (made == MPI_COMM_NULL) return;
    struct group *g = insert(key_of(&made, sizeof made, 0));
    translate(g, made);
    struct group local = {0};
    MPI_Group members;
    PMPI_Comm_group(made, &members);
    translate_group(&local, members);
    int own = lowest(&local), other = lowest(g);
    free(local.world);
    uint64_t low = (uint64_t)(own < other ? own : other);
    g->id = name(mix(mix(3, low), (uint64_t)tag));
}

void window_made(MPI_Win made, MPI_Comm of)
{
    struct group *parent = group_of(of);
    uint32_t child = ++parent->children;
    uint64_t parent_id = parent->id;
    if (made == MPI_WIN_NULL) return;
    struct group *g = insert(key_of(&made, sizeof made, 1));
    translate(g, of);
    g->id = name(mix(mix(parent_id, child), (uint64_t)lowest(g)));
}

void group_freed(MPI_Comm comm) { forget(key_of(&comm, sizeof comm, 0)); }

void window_freed(MPI_Win window) { forget(key_of(&window, sizeof window, 1)); }

int world_rank(const struct group *group, int rank)
{
    return group && rank >= 0 && rank < group->ranks ? group->world[rank] : -1;
}
