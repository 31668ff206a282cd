# binding.cmake: what the binding is made of: the module torch.so, and the program tocha if Lua's library is there.
file(GLOB_RECURSE BINDING_SOURCES CONFIGURE_DEPENDS bindings/*.c)
list(FILTER BINDING_SOURCES EXCLUDE REGEX "/bindings/interpreter/")
file(GLOB_RECURSE INTERPRETER_SOURCES CONFIGURE_DEPENDS bindings/interpreter/*.c)
list(FILTER INTERPRETER_SOURCES EXCLUDE REGEX "/interpreter/web/")
file(GLOB_RECURSE LUA_SOURCES CONFIGURE_DEPENDS lua/*.lua)
list(FILTER LUA_SOURCES EXCLUDE REGEX "/lua/(embed|names)\\.lua$")
if(NOT TOCHA_DISTRIBUTED)   # is_available() alone is left
  list(FILTER BINDING_SOURCES EXCLUDE REGEX "/bindings/(distributed|processes)/")
  list(FILTER LUA_SOURCES EXCLUDE REGEX "/lua/((parts|torch)/(distributed|multiprocessing)/|launch/|torch/(futures|nn/parallel/[Dd]istributed)|help/(examples|texts)/distributed)")
  list(APPEND LUA_SOURCES ${PROJECT_SOURCE_DIR}/lua/torch/distributed/init.lua
       ${PROJECT_SOURCE_DIR}/lua/torch/distributed/is_available.lua)
  list(FILTER INTERPRETER_SOURCES EXCLUDE REGEX "/interpreter/launch/(child|launch|starters|system)")
  list(APPEND INTERPRETER_SOURCES bindings/interpreter/web/no_launch.c)
endif()
if(EMSCRIPTEN)   # what `tocha --check` and a notebook's sockets need, and examples that need a GPU; hints read programs by check/parser.lua
  list(FILTER LUA_SOURCES EXCLUDE REGEX "/lua/(check/(init|kinds|rules|trials|types)|help/examples/cuda|kernel/(install|wire))\\.lua$")
endif()
# signature.lua reads signatures here, too; the help of initializers and optimizers is that of their lists; schedulers have the
# formulas of theirs
list(APPEND LUA_SOURCES ${PROJECT_SOURCE_DIR}/runtime/list/signature.lua ${PROJECT_SOURCE_DIR}/runtime/nn/initializers.lua
     ${PROJECT_SOURCE_DIR}/runtime/optim/optimizers.lua ${GENERATED}/optim/schedules.lua)
add_custom_command(
  OUTPUT ${GENERATED}/lua_sources.c
  COMMAND ${LUA} ${PROJECT_SOURCE_DIR}/lua/embed.lua $<$<BOOL:${EMSCRIPTEN}>:--short> ${GENERATED}/lua_sources.c ${PROJECT_SOURCE_DIR}/data/digits.csv
          ${PROJECT_SOURCE_DIR}/lua/names.lua ${LUA_SOURCES}
  DEPENDS lua/embed.lua lua/names.lua data/digits.csv ${LUA_SOURCES} ${GENERATED}/generated.stamp
  COMMAND_EXPAND_LISTS COMMENT "Lua sources")
add_library(binding OBJECT ${BINDING_SOURCES} ${GENERATED_BINDING_SOURCES} ${GENERATED}/lua_sources.c)
string(TOUPPER "${CMAKE_BUILD_TYPE}" BUILD_TYPE)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${BUILD_TYPE}}" BUILD_FLAGS)
set(BUILD_FACTS "TOCHA_BUILD_FLAGS=\"${BUILD_FLAGS}\"")   # what torch._doctor() says
if(TOCHA_SLEEF_FOUND)
  list(APPEND BUILD_FACTS "TOCHA_BUILD_SLEEF=\"${SLEEF_LIBRARY}\"")
endif()
set_source_files_properties(bindings/support.c PROPERTIES COMPILE_DEFINITIONS "${BUILD_FACTS}")
if(TOCHA_DISTRIBUTED)
  set_source_files_properties(bindings/open.c PROPERTIES COMPILE_DEFINITIONS TOCHA_DISTRIBUTED)
endif()
target_include_directories(binding PRIVATE ${LUA_INCLUDE} bindings/include bindings ${GENERATED}/bindings runtime/include ${GENERATED}/include runtime)
add_dependencies(binding generate)
if(EMSCRIPTEN)
  include(bindings/interpreter/web/web.cmake)
else()
  add_library(torch MODULE $<TARGET_OBJECTS:binding>)
  set_target_properties(torch PROPERTIES PREFIX "" OUTPUT_NAME torch)
  target_link_libraries(torch PRIVATE libtocha platform)
  if(APPLE)
    target_link_options(torch PRIVATE -undefined dynamic_lookup)
  else()   # only what Lua looks for leaves the module
    file(WRITE ${GENERATED}/torch.map "{ global: luaopen_*; tocha_lua_*; local: *; };\n")
    target_link_options(torch PRIVATE -Wl,--version-script=${GENERATED}/torch.map)
    # a worker that does not come out of the program's own code may outlive the state that loaded the module
    target_link_options(torch PRIVATE -Wl,-z,nodelete)
  endif()

  # The binding for a program that links it itself.
  if(NOT APPLE)
    add_archive(tocha_lua tocha_lua $<TARGET_OBJECTS:binding> $<TARGET_FILE:platform>)
  endif()

  if(TOCHA_PROGRAM)
    add_executable(tocha ${INTERPRETER_SOURCES} $<TARGET_OBJECTS:binding>)
    target_include_directories(tocha PRIVATE ${LUA_INCLUDE} bindings/include bindings runtime ${GENERATED}/include)
    target_link_libraries(tocha PRIVATE libtocha platform ${LUA_LIBRARY} m)
    set_target_properties(tocha PROPERTIES ENABLE_EXPORTS ON)
    add_custom_command(TARGET tocha POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink tocha $<TARGET_FILE_DIR:tocha>/tocharun)
  endif()
endif()
