# engines.cmake: the plug-ins that move the bytes of torch.distributed, one for each library that is here. None is linked to
# libtocha, which finds them beside itself (runtime/distributed/engines.c).
set(ENGINE_SYMBOLS ${PROJECT_SOURCE_DIR}/runtime/distributed/engines.map)
set(TOCHA_ENGINES "")

function(add_engine name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE runtime runtime/include ${GENERATED}/include)
  target_link_libraries(${name} PRIVATE platform)
  set_target_properties(${name} PROPERTIES PREFIX lib C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                        LINK_DEPENDS ${ENGINE_SYMBOLS})
  if(NOT APPLE)   # the entry alone leaves it
    target_link_options(${name} PRIVATE -Wl,--version-script=${ENGINE_SYMBOLS})
  endif()
  set(TOCHA_ENGINES ${TOCHA_ENGINES} ${name} PARENT_SCOPE)
endfunction()

# --- Gloo --------------------------------------------------------------------------------------------
if(NOT CMAKE_CXX_COMPILER)
  unset(CMAKE_CXX_COMPILER CACHE)
endif()
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  find_of_target(path GLOO_INCLUDE gloo/transport/tcp/unbound_buffer.h)
  find_of_target(library GLOO_LIBRARY gloo)
endif()
if(CMAKE_CXX_COMPILER AND GLOO_INCLUDE AND GLOO_LIBRARY)
  file(GLOB sources CONFIGURE_DEPENDS runtime/distributed/gloo/*.c runtime/distributed/gloo/*.cpp)
  add_engine(tocha_gloo ${sources})
  target_compile_features(tocha_gloo PRIVATE cxx_std_17)
  target_include_directories(tocha_gloo SYSTEM PRIVATE ${GLOO_INCLUDE})
  target_compile_options(tocha_gloo PRIVATE "SHELL:-idirafter ${PROJECT_SOURCE_DIR}/runtime/distributed/gloo/missing")
  target_link_libraries(tocha_gloo PRIVATE ${GLOO_LIBRARY})
  # reductions: as many elements at a time as the instruction set of each loop has room for
  set_source_files_properties(runtime/distributed/gloo/reductions.cpp PROPERTIES COMPILE_OPTIONS "-O3")
else()
  message(STATUS "Gloo is not here (Debian: libgloo-dev, and a C++ compiler): the backend gloo is not built")
endif()
