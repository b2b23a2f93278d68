/* Many runs of the program in one start, for tests: starting ranks takes longer than a run on a small graph.
   many-runs LIST: a line of it has the options of a run, parted by blanks; each leaves its files, and stderr has
   `LINE EXIT-STATUS` where one is not 0, and stdout `many-runs: LINE` before what each says. */
#define main run_program
#define MPI_Init_thread is_begun
#define MPI_Finalize is_not_ended
#include "../../../agents/graphalytics/main.c"
#undef main
#undef MPI_Init_thread
#undef MPI_Finalize

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);

int is_begun(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    *provided = required;
    return MPI_SUCCESS;
}

int is_not_ended(void) { return MPI_SUCCESS; }

enum { MOST_WORDS = 64, LONGEST = 4096 };

int main(int argc, char **argv)
{
    int given, rank, failed = 0;
    char line[LONGEST];
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list) return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int number = 0; fgets(line, sizeof line, list); number++) {
        char *words[MOST_WORDS] = {argv[0]};
        int count = 1;
        for (char *word = strtok(line, " \n"); word && count < MOST_WORDS - 1; word = strtok(NULL, " \n"))
            words[count++] = word;
        if (rank == 0) printf("many-runs: %d\n", number);
        int status = run_program(count, words);
        if (status != 0 && rank == 0) fprintf(stderr, "%d %d\n", number, status);
        failed |= status != 0;
    }
    fclose(list);
    MPI_Finalize();
    return failed;
}
