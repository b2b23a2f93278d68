/* A program that ends itself when its time is over. */
#ifndef GA_TIME_LIMIT_H
#define GA_TIME_LIMIT_H

enum { EXIT_TIME = 5 };

/* One sentence and exit status 5 after so many seconds; call on rank 0 only, whose end the launcher makes everybody's.
 */
void time_limit_start(int seconds);

#endif
