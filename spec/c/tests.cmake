# tests.cmake: a program of each file here, and the example in C.
file(GLOB C_TESTS CONFIGURE_DEPENDS spec/c/*.c)
if(EMSCRIPTEN)   # not those that read files, start threads or processes, or whose fwrite stands for the C library's
  list(FILTER C_TESTS EXCLUDE REGEX "/(cancellable|checks|distributed_[a-z]*|dlpack|lua_fork|lua_interrupt|lua_memory|lua_sandbox|lua_service|lua_threads|module_share|modules|null|pool|process|reader|runtime|serialization|share)_test\\.c$")
endif()
if(NOT TOCHA_DISTRIBUTED)
  list(FILTER C_TESTS EXCLUDE REGEX "/distributed_")
endif()
if(NOT TOCHA_DISTRIBUTED)   # null_test calls all that the headers declare
  list(FILTER C_TESTS EXCLUDE REGEX "/(null|distributed_[^/]*)_test\\.c$")
endif()
if(NOT TOCHA_PROGRAM)
  list(FILTER C_TESTS EXCLUDE REGEX "/lua_[^/]*$")
endif()
foreach(source ${C_TESTS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} $<TARGET_OBJECTS:runtime_objects> ${KERNEL_OBJECTS})   # sees internals
  target_include_directories(${name} PRIVATE runtime runtime/include ${GENERATED} ${GENERATED}/include)
  target_link_libraries(${name} PRIVATE ${RUNTIME_LIBRARIES})
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)   # a host has threads, signals and folders
  if(name MATCHES "^lua_")   # hosts of Lua and of the module torch
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:binding>)
    target_include_directories(${name} PRIVATE ${LUA_INCLUDE} bindings/include bindings)
    target_link_libraries(${name} PRIVATE ${LUA_LIBRARY} m)
  endif()
  if(EMSCRIPTEN)
    run_by_node(${name})
    target_link_options(${name} PRIVATE -O0)   # links in a tenth of the time
  endif()
endforeach()
if(EMSCRIPTEN)   # spec/web/run.sh reads their names
  list(TRANSFORM C_TESTS REPLACE ".*/" "spec/c/")
  string(JOIN "\n" names ${C_TESTS})
  file(WRITE ${PROJECT_BINARY_DIR}/tests.txt "${names}\n")
endif()
# vectors_test calls our own vector functions of each instruction set, also if SLEEF was found.
set(VECTORS_TEST_ISAS "")
foreach(isa ${TOCHA_LOOPS_ISAS})
  add_library(vectors_test_${isa} OBJECT spec/c/vectors/functions.c)
  target_include_directories(vectors_test_${isa} PRIVATE spec/c runtime runtime/include)
  target_compile_definitions(vectors_test_${isa} PRIVATE TOCHA_ISA=${isa})
  target_compile_options(vectors_test_${isa} PRIVATE ${TOCHA_LOOPS_FLAGS_${isa}} $<$<STREQUAL:${isa},baseline>:-Wno-psabi>)
  target_sources(vectors_test PRIVATE $<TARGET_OBJECTS:vectors_test_${isa}>)
  string(TOUPPER ${isa} ISA)
  string(APPEND VECTORS_TEST_ISAS "ISA(${ISA}, ${isa}) ")
endforeach()
set_source_files_properties(spec/c/vectors_test.c PROPERTIES COMPILE_DEFINITIONS "VECTORS_TEST_ISAS=${VECTORS_TEST_ISAS}")
# null_test calls every public function: the calls are written from the headers.
file(GLOB PUBLIC_HEADERS CONFIGURE_DEPENDS runtime/include/tocha/*.h)
add_custom_command(
  OUTPUT ${GENERATED}/null_calls.h
  COMMAND ${LUA} ${PROJECT_SOURCE_DIR}/spec/support/write_calls.lua ${GENERATED}/null_calls.h ${PROJECT_SOURCE_DIR}/runtime/include/tocha ${GENERATED}/include/tocha
  DEPENDS spec/support/write_calls.lua ${PUBLIC_HEADERS} ${GENERATED}/generated.stamp)
if(TARGET null_test)
  target_sources(null_test PRIVATE ${GENERATED}/null_calls.h)
endif()
if(NOT EMSCRIPTEN AND EXISTS ${PROJECT_SOURCE_DIR}/examples/host.c)
  add_executable(host examples/host.c)
  target_link_libraries(host PRIVATE libtocha)
endif()
if(TARGET distributed_engine_test)   # opens them
  add_dependencies(distributed_engine_test ${TOCHA_ENGINES})
endif()
