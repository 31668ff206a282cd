# Compiles the loops of elementwise formulas. The generator writes one file for each list file.
foreach(file ${GENERATED_LOOPS})
  get_filename_component(name ${file} NAME_WE)
  if(name MATCHES "^elementwise_")
    tocha_loops(${name} SOURCE ${file} STRUCT tocha_elementwise_loops TYPES float32 float64 int64 bool)
  endif()
endforeach()
