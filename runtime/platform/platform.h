/* platform.h: what Tocha needs of an operating system beyond C11. Only the files of this folder include a system's headers.
 *
 * The functions know no context. They return true, a handle or a size if they succeed, and false,
 * NULL or -1 if they fail, with the reason in errno. Those of posix/ serve Linux and its relatives.
 * A file of browser/ takes the place of the file of the same name in posix/ if the program runs in
 * a web page: it says that there is no such thing. */
#ifndef TOCHA_PLATFORM_H
#define TOCHA_PLATFORM_H

#include "platform/children.h"
#include "platform/files.h"
#include "platform/machine.h"
#include "platform/network.h"
#include "platform/program.h"
#include "platform/shared_memory.h"
#include "platform/threads.h"

#endif
