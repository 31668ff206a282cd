/* libraries.h: libraries that are loaded after this one. */
#ifndef TOCHA_PLATFORM_LIBRARIES_H
#define TOCHA_PLATFORM_LIBRARIES_H

/* Lets libraries that are loaded later use the names that leave the library, or program, which has
 * the function. A library that was loaded for its loader alone (as Lua loads modules) does not do so by
 * itself. */
void platform_share_names(void (*function)(void));

#endif
