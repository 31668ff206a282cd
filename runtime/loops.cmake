# Files of loops (runtime/tensor/loops.h). tocha_loops(NAME [TYPES type...] [SOURCE file] [STRUCT
# tag]) in a family's loops.cmake compiles its cpu/NAME.c, its cpu/digits/NAME.c, or that
# (generated) file, once for each instruction set and type. It also writes the table
# tocha_NAME_loops_table of structs tocha_NAME_loops, or of that tag.
set(TOCHA_LOOPS_ISAS baseline)
set(TOCHA_LOOPS_FLAGS_baseline "")
if(EMSCRIPTEN)
  # A page fetches the code: only short loops of a constant length are unrolled, and wholly.
  set(TOCHA_LOOPS_FLAGS_baseline "SHELL:-mllvm -unroll-runtime=0" "SHELL:-mllvm -unroll-allow-partial=0"
      "SHELL:-mllvm -unroll-threshold=60")
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND TOCHA_LOOPS_ISAS avx2)
  set(TOCHA_LOOPS_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
  if(NOT TOCHA_SANITIZE)   # fewer of them keep a sanitized build short
    list(APPEND TOCHA_LOOPS_ISAS avx512)
    set(TOCHA_LOOPS_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mf16c -mbmi2
        -mprefer-vector-width=512)
  endif()
endif()
# The features that are tested for each set; a processor with these has the others, too.
set(TOCHA_LOOPS_TEST_baseline 1)
foreach(feature avx2 fma)
  list(APPEND TOCHA_LOOPS_TEST_avx2 "__builtin_cpu_supports(\"${feature}\")")
endforeach()
foreach(feature avx512f avx512dq avx512bw avx512vl)
  list(APPEND TOCHA_LOOPS_TEST_avx512 "__builtin_cpu_supports(\"${feature}\")")
endforeach()
foreach(isa ${TOCHA_LOOPS_ISAS})
  string(JOIN " && " TOCHA_LOOPS_TEST_${isa} ${TOCHA_LOOPS_TEST_${isa}})
endforeach()
if(TOCHA_LOOPS STREQUAL "native")
  include(CheckCSourceRuns)
  set(isas ${TOCHA_LOOPS_ISAS})
  foreach(isa ${isas})
    check_c_source_runs("int main(void) { return !(${TOCHA_LOOPS_TEST_${isa}}); }" TOCHA_PROCESSOR_HAS_${isa})
    if(TOCHA_PROCESSOR_HAS_${isa})
      set(TOCHA_LOOPS_ISAS ${isa})
    endif()
  endforeach()
endif()
# TOCHA_LOOPS_C_float32 = float, and so on: the third column of dtypes.def.
set(dtypes ${PROJECT_SOURCE_DIR}/runtime/include/tocha/dtypes.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dtypes})
file(STRINGS ${dtypes} rows REGEX "^DTYPE")
foreach(row ${rows})
  if(row MATCHES "^DTYPE\\([A-Z0-9_]+, ([a-z0-9_]+), ([a-z0-9_]+),")
    set(TOCHA_LOOPS_C_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  endif()
endforeach()

# One object library for each instruction set and type ("" if a file has no types), filled below.
function(tocha_loops_library isa type)
  set(library loops_${isa}_${type})
  if(NOT TARGET ${library})
    add_library(${library} OBJECT)
    target_include_directories(${library} PRIVATE runtime runtime/include ${GENERATED} ${GENERATED}/include)
    target_compile_definitions(${library} PRIVATE TOCHA_ISA=${isa})
    if(type)
      target_compile_definitions(${library} PRIVATE TOCHA_LOOPS_SUFFIX=${isa}_${type}
        TOCHA_LOOPS_C_TYPE=${TOCHA_LOOPS_C_${type}} TOCHA_LOOPS_${type})
    else()
      target_compile_definitions(${library} PRIVATE TOCHA_LOOPS_SUFFIX=${isa})
    endif()
    if(EMSCRIPTEN AND type MATCHES "^float8|float16$")   # a page fetches them, and few programs there need their speed
      target_compile_options(${library} PRIVATE -Os)
    elseif(NOT TOCHA_SANITIZE)
      target_compile_options(${library} PRIVATE -O3)
    endif()
    # no function with vector parameters or results is called from another file
    target_compile_options(${library} PRIVATE ${TOCHA_LOOPS_FLAGS_${isa}} $<$<STREQUAL:${isa},baseline>:-Wno-psabi>)
    add_dependencies(${library} generate)
    if(TOCHA_SLEEF_FOUND)
      target_compile_definitions(${library} PRIVATE TOCHA_HAVE_SLEEF)
      target_include_directories(${library} PRIVATE ${SLEEF_INCLUDE})
    endif()
    set_property(GLOBAL APPEND PROPERTY TOCHA_LOOPS_OBJECTS $<TARGET_OBJECTS:${library}>)
  endif()
endfunction()

function(tocha_loops name)
  cmake_parse_arguments(PARSE_ARGV 1 LOOPS "" "SOURCE;STRUCT" "TYPES")
  set(source ${CMAKE_CURRENT_LIST_DIR}/cpu/${name}.c)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/cpu/digits/${name}.c)
    set(source ${CMAKE_CURRENT_LIST_DIR}/cpu/digits/${name}.c)
  endif()
  if(LOOPS_SOURCE)
    set(source ${LOOPS_SOURCE})
  endif()
  set(struct tocha_${name}_loops)
  if(LOOPS_STRUCT)
    set(struct ${LOOPS_STRUCT})
  endif()
  set_property(GLOBAL APPEND PROPERTY TOCHA_LOOPS_SOURCES ${source})
  set(externs "")
  set(rows "")
  foreach(isa ${TOCHA_LOOPS_ISAS})
    string(TOUPPER ${isa} ISA)
    set(row "")
    if(LOOPS_TYPES)
      foreach(type ${LOOPS_TYPES})
        tocha_loops_library(${isa} ${type})
        target_sources(loops_${isa}_${type} PRIVATE ${source})
        string(TOUPPER ${type} TYPE)
        string(APPEND externs "extern const struct ${struct} tocha_${name}_loops_${isa}_${type};\n")
        string(APPEND row "[TOCHA_${TYPE}] = &tocha_${name}_loops_${isa}_${type}, ")
      endforeach()
      string(APPEND rows "    [TOCHA_ISA_${ISA}] = {${row}},\n")
    else()
      tocha_loops_library(${isa} "")
      target_sources(loops_${isa}_ PRIVATE ${source})
      string(APPEND externs "extern const struct ${struct} tocha_${name}_loops_${isa};\n")
      string(APPEND rows "    [TOCHA_ISA_${ISA}] = &tocha_${name}_loops_${isa},\n")
    endif()
  endforeach()
  get_filename_component(room ${CMAKE_CURRENT_LIST_DIR} NAME)   # a family, or a folder of runtime/
  set(table ${GENERATED}/${room}/loops/${name}.c)
  set(dims "[TOCHA_ISA_COUNT]")
  if(LOOPS_TYPES)
    set(dims "[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT]")
  endif()
  file(CONFIGURE OUTPUT ${table} CONTENT
"/* ${name}.c: the loops of cpu/${name}.c by instruction set and type (written by runtime/loops.cmake). */
#include \"core/isa.h\"
#include \"tocha/types.h\"

${externs}
extern const struct ${struct} *const tocha_${name}_loops_table${dims};
const struct ${struct} *const tocha_${name}_loops_table${dims} = {
${rows}};
" @ONLY)
  set_property(GLOBAL APPEND PROPERTY TOCHA_LOOPS_TABLES ${table})
endfunction()

# The instruction sets that loops are compiled for, the best last, with a test of this processor:
# tocha_best_isa.
set(tests "")
foreach(isa ${TOCHA_LOOPS_ISAS})
  string(TOUPPER ${isa} ISA)
  string(APPEND tests "  if (TOCHA_ISA_${ISA} <= limit && ${TOCHA_LOOPS_TEST_${isa}}) isa = TOCHA_ISA_${ISA};\n")
endforeach()
file(CONFIGURE OUTPUT ${GENERATED}/core/isas.c CONTENT
"/* isas.c: written by runtime/loops.cmake. */
#include \"core/isa.h\"

tocha_isa tocha_best_isa(tocha_isa limit) {
  tocha_isa isa = TOCHA_ISA_COUNT;
${tests}  return isa;
}
" @ONLY)
set_property(GLOBAL APPEND PROPERTY TOCHA_LOOPS_TABLES ${GENERATED}/core/isas.c)

file(GLOB_RECURSE LOOPS_FILES CONFIGURE_DEPENDS runtime/*/loops.cmake)
foreach(file ${LOOPS_FILES})
  include(${file})
endforeach()
get_property(LOOPS_OBJECTS GLOBAL PROPERTY TOCHA_LOOPS_OBJECTS)
get_property(LOOPS_TABLES GLOBAL PROPERTY TOCHA_LOOPS_TABLES)
get_property(LOOPS_SOURCES GLOBAL PROPERTY TOCHA_LOOPS_SOURCES)
