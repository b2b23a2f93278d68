/* Calls that make and free communicators (MPI 3.1, chapters 6, 7 and 10). */
#include "groups.h"
#include "messages.h"
#include "wrap.h"

/* Collective over `of`, whose child it makes. */
#define MAKES(name, parameters, arguments, of) \
    PLAIN(name, parameters, arguments, note_collective(&c, of, -1, 0); if (result == MPI_SUCCESS) group_made(*made, of))

MAKES(Comm_dup, (MPI_Comm of, MPI_Comm *made), (of, made), of)
MAKES(Comm_dup_with_info, (MPI_Comm of, MPI_Info info, MPI_Comm *made), (of, info, made), of)
MAKES(Comm_split, (MPI_Comm of, int color, int key, MPI_Comm *made), (of, color, key, made), of)
MAKES(Comm_split_type, (MPI_Comm of, int type, int key, MPI_Info info, MPI_Comm *made), (of, type, key, info, made), of)
MAKES(Comm_create, (MPI_Comm of, MPI_Group group, MPI_Comm *made), (of, group, made), of)
MAKES(Cart_create, (MPI_Comm of, int count, const int sizes[], const int periods[], int reorder, MPI_Comm *made),
      (of, count, sizes, periods, reorder, made), of)
MAKES(Cart_sub, (MPI_Comm of, const int remain[], MPI_Comm *made), (of, remain, made), of)
MAKES(Graph_create, (MPI_Comm of, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (of, nodes, index, edges, reorder, made), of)
MAKES(Dist_graph_create,
      (MPI_Comm of, int nodes, const int sources[], const int degrees[], const int targets[], const int weights[],
       MPI_Info info, int reorder, MPI_Comm *made),
      (of, nodes, sources, degrees, targets, weights, info, reorder, made), of)
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm of, int in, const int sources[], const int in_weights[], int out, const int targets[],
       const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (of, in, sources, in_weights, out, targets, out_weights, info, reorder, made), of)
MAKES(Intercomm_merge, (MPI_Comm of, int high, MPI_Comm *made), (of, high, made), of)

/* Of the ranks of a group alone: it has the number of a group that nobody announced. */
PLAIN(Comm_create_group, (MPI_Comm of, MPI_Group group, int tag, MPI_Comm *made), (of, group, tag, made), )

PLAIN(Intercomm_create, (MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm *made),
      (local, local_leader, peers, remote_leader, tag, made), note_collective(&c, local, -1, 0);
      if (result == MPI_SUCCESS) group_made_between(*made, tag))

PLAIN(Comm_spawn,
      (const char *command, char *argv[], int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made,
       int errors[]),
      (command, argv, count, info, root, comm, made, errors), note_collective(&c, comm, -1, 0))
PLAIN(Comm_spawn_multiple,
      (int commands, char *names[], char **argvs[], const int counts[], const MPI_Info infos[], int root, MPI_Comm comm,
       MPI_Comm *made, int errors[]),
      (commands, names, argvs, counts, infos, root, comm, made, errors), note_collective(&c, comm, -1, 0))

#define FREES(name)                                             \
    WRAP(name, (MPI_Comm * comm))                               \
    {                                                           \
        struct call c = call_begin(CALL_##name);                \
        MPI_Comm before = *comm;                                \
        int result = call_stop(&c, NEXT(name)(comm));           \
        if (c.on && result == MPI_SUCCESS) group_freed(before); \
        return call_finish(&c, result);                         \
    }
FREES(Comm_free)
FREES(Comm_disconnect)
