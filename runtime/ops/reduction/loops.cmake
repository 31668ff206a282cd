# The types of elements that loops read unconverted. bool stands for all bytes.
set(elements float32 float64 int64 bool int8 int16 int32)
tocha_loops(positions TYPES ${elements})
tocha_loops(deviations TYPES float32 float64)
tocha_loops(norm_sums TYPES float32 float64)
tocha_loops(distance TYPES float32 float64)
# Compiles the loops of rows. The generator writes one file for each.
foreach(file ${GENERATED_LOOPS})
  get_filename_component(name ${file} NAME_WE)
  if(name MATCHES "^reduce_")
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # GCC's unroll-and-jam processes two rounds at a time, which prevents vectors of bytes
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -fno-loop-unroll-and-jam)
    endif()
    tocha_loops(${name} SOURCE ${file} STRUCT tocha_reduce_loops TYPES ${elements})
  endif()
endforeach()
