/* news.h: a thread that exchanges news with ranks on other hosts, by way of the store: who left, gave up, or died; and which notices when the
 * store's server falls silent, or ends. */
#ifndef TOCHA_NEWS_H
#define TOCHA_NEWS_H

#include "distributed/group.h"

typedef struct tocha_news tocha_news;

/* Starts the thread. Returns NULL if that is not possible. */
tocha_news *tocha_news_start(tocha_watch *watch, tocha_distributed *world, int rank, int size);
/* Tells the other hosts that this rank has left a group, or gave up in it. Waits for nothing. */
void tocha_news_tell_leaving(tocha_news *news, const tocha_process_group *group, bool gave_up,
                             const char *place, const char *reason);
/* Tells them that a rank of this host is stopped. */
void tocha_news_tell_stopped(tocha_news *news, int rank);
/* Returns false if the store did not answer for half a second. NULL is allowed. */
bool tocha_news_hears(const tocha_news *news);
/* Sends what is to be told, says that this rank leaves the world, and ends the thread. NULL is allowed. */
void tocha_news_end(tocha_news *news);

#endif
