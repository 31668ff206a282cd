# Lua for a browser: its own source (install/lua_source gets it), with one change: loops ask for an interrupt (poll.h).
# Gives LUA_INCLUDE and LUA_LIBRARY.
set(TOCHA_LUA_SOURCE ${PROJECT_BINARY_DIR}/lua CACHE PATH "The folder of Lua 5.4's own source")
set(from ${TOCHA_LUA_SOURCE}/src)
set(LUA_INCLUDE ${GENERATED}/lua)
if(NOT EXISTS ${from}/lvm.c)
  message(FATAL_ERROR "Lua's source is not in ${TOCHA_LUA_SOURCE}: run install/lua_source ${PROJECT_BINARY_DIR}, or name its folder with -DTOCHA_LUA_SOURCE")
endif()
file(GLOB files ${from}/*.c ${from}/*.h)
list(FILTER files EXCLUDE REGEX "/(lua|luac|lvm)\\.c$")
file(COPY ${files} DESTINATION ${LUA_INCLUDE})
# Debian's luaconf.h names folders of shared libraries, which are never there
file(WRITE ${LUA_INCLUDE}/lua5.4-deb-multiarch.h "#define DEB_HOST_MULTIARCH \"wasm32-emscripten\"\n")

file(READ ${from}/lvm.c text)
set(plain "#define updatetrap(ci)  (trap = ci->u.l.trap)")
string(FIND "${text}" "${plain}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${from}/lvm.c has no '${plain}': loops would not be interruptible")
endif()
string(REPLACE "${plain}" "#include \"interpreter/web/poll.h\"
#define updatetrap(ci)  (--poll_steps < 0 ? poll_now() : (void)0, trap = ci->u.l.trap)" text "${text}")
file(CONFIGURE OUTPUT ${LUA_INCLUDE}/lvm.c CONTENT "${text}" @ONLY)   # is written only if it changes

file(GLOB sources ${LUA_INCLUDE}/*.c)
add_library(lua_library STATIC ${sources} bindings/interpreter/web/poll.c)
target_include_directories(lua_library PRIVATE ${LUA_INCLUDE} bindings)
target_compile_definitions(lua_library PRIVATE LUA_USE_POSIX)
target_compile_options(lua_library PRIVATE -O3 -w)   # its warnings are its authors'
set_target_properties(lua_library PROPERTIES C_VISIBILITY_PRESET default)
set(LUA_LIBRARY lua_library)
