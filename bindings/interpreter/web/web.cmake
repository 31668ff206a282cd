# tocha for node, which the tests run (build/web/tocha), and the module of the page (tocha_web.js and
# tocha_web.wasm; web.c).
set(WEB_LINK -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=33554432 -sMAXIMUM_MEMORY=2147483648 -sTOTAL_STACK=4194304)

# A kernel of notebooks needs threads and sockets (no_kernel.c).
list(FILTER INTERPRETER_SOURCES EXCLUDE REGEX "/interpreter/kernel/")

# Makes a target a program that node runs: NAME.js, and the command NAME.
function(run_by_node target)
  target_link_options(${target} PRIVATE ${WEB_LINK} -sENVIRONMENT=node -sNODERAWFS -sEXIT_RUNTIME)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${target}
    CONTENT "#!/bin/sh\nexec node --no-experimental-fetch '${PROJECT_BINARY_DIR}/${target}.js' \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

add_executable(tocha bindings/interpreter/web/no_kernel.c ${INTERPRETER_SOURCES} $<TARGET_OBJECTS:binding>)
run_by_node(tocha)

set(WEB_SOURCES calls.c entry.c memory.c session.c web/no_launch.c web/web.c)
list(TRANSFORM WEB_SOURCES PREPEND bindings/interpreter/)
set(WEB_SCRIPTS ${PROJECT_SOURCE_DIR}/bindings/interpreter/web)
add_executable(web ${WEB_SOURCES} $<TARGET_OBJECTS:binding>)
set_target_properties(web PROPERTIES OUTPUT_NAME tocha_web
  LINK_DEPENDS ${WEB_SCRIPTS}/host.js)
target_link_options(web PRIVATE ${WEB_LINK} -sENVIRONMENT=worker -sMODULARIZE -sEXPORT_NAME=createTocha -sFORCE_FILESYSTEM -sIMPORTED_MEMORY
  -sEXPORTED_FUNCTIONS=_web_open,_web_request,_web_show -sEXPORTED_RUNTIME_METHODS=ccall,allocateUTF8,FS,ENV
  --js-library ${WEB_SCRIPTS}/host.js)

foreach(program tocha web)
  target_include_directories(${program} PRIVATE ${LUA_INCLUDE} bindings/include bindings runtime runtime/include ${GENERATED}/include)
  target_link_libraries(${program} PRIVATE libtocha platform ${LUA_LIBRARY} m)
endforeach()
