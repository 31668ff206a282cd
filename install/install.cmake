# What `cmake --install build --prefix PREFIX` puts where: the program, libtocha with its headers and the GPU plug-ins beside it,
# the module for stock Lua, and what pkg-config and find_package(tocha) ask for. Nothing holds an absolute path: the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TOCHA_LUA_MODULES ${CMAKE_INSTALL_LIBDIR}/lua/5.4 CACHE STRING "Where torch.so goes, below the prefix")
file(RELATIVE_PATH program_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH module_to_lib /${TOCHA_LUA_MODULES} /${CMAKE_INSTALL_LIBDIR})
if(TARGET tocha)
  set_target_properties(tocha PROPERTIES INSTALL_RPATH "$ORIGIN/${program_to_lib}")
  install(TARGETS tocha RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES $<TARGET_FILE_DIR:tocha>/tocharun DESTINATION ${CMAKE_INSTALL_BINDIR})   # a link to tocha
endif()
if(TARGET torch)
  set_target_properties(torch PROPERTIES INSTALL_RPATH "$ORIGIN/${module_to_lib}")
  install(TARGETS torch LIBRARY DESTINATION ${TOCHA_LUA_MODULES})
endif()

set_target_properties(libtocha PROPERTIES EXPORT_NAME tocha)
install(TARGETS libtocha EXPORT tocha LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(archive tocha_static tocha_lua)
  if(TARGET ${archive})
    string(REPLACE _static "" name ${archive})
    install(FILES ${PROJECT_BINARY_DIR}/lib${name}.a DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()
install(DIRECTORY runtime/include/tocha bindings/include/tocha ${GENERATED}/include/tocha DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
foreach(plugin tocha_cuda tocha_cuda_simulated ${TOCHA_ENGINES})
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()
if(TARGET tocha)
  include(install/pages.cmake)
endif()
install(FILES LICENSE README.md REPL.md NEWS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The public interface as data, for those who bind another language.
file(GLOB API_SOURCES CONFIGURE_DEPENDS runtime/include/tocha/*.h runtime/list/*.lua)
add_custom_command(
  OUTPUT ${GENERATED}/tocha_api.json
  COMMAND ${CMAKE_C_COMPILER} -E -C -dD -I${PROJECT_SOURCE_DIR}/runtime/include -I${GENERATED}/include
          ${PROJECT_SOURCE_DIR}/runtime/include/tocha/tocha.h > ${GENERATED}/tocha_api.i
  COMMAND ${LUA} ${PROJECT_SOURCE_DIR}/runtime/list/write_api.lua ${PROJECT_SOURCE_DIR}/runtime/list ${PROJECT_VERSION} < ${GENERATED}/tocha_api.i > ${GENERATED}/tocha_api.json
  DEPENDS ${API_SOURCES} ${GENERATED}/generated.stamp ${GENERATED}/include/tocha/version.h COMMENT "the interface as JSON")
add_custom_target(api ALL DEPENDS ${GENERATED}/tocha_api.json)
add_dependencies(api generate)
install(FILES ${GENERATED}/tocha_api.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tocha)

# What a program that links libtocha.a needs beside it.
set(STATIC_LIBRARIES m ${CMAKE_DL_LIBS})
if(TOCHA_SLEEF_FOUND)
  list(PREPEND STATIC_LIBRARIES sleef)
endif()
list(TRANSFORM STATIC_LIBRARIES PREPEND -l)
list(APPEND STATIC_LIBRARIES ${CMAKE_THREAD_LIBS_INIT})
string(JOIN " " PRIVATE_LIBRARIES ${STATIC_LIBRARIES})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(packages tocha)
foreach(archive tocha_static tocha_lua)
  if(TARGET ${archive})
    string(REPLACE _ - package ${archive})
    list(APPEND packages ${package})
  endif()
endforeach()
foreach(name ${packages})
  configure_file(install/${name}.pc.in ${GENERATED}/${name}.pc @ONLY)
  install(FILES ${GENERATED}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tocha)
target_include_directories(libtocha INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(EXPORT tocha FILE tocha-targets.cmake NAMESPACE tocha:: DESTINATION ${package})
configure_package_config_file(install/tocha-config.cmake.in ${GENERATED}/tocha-config.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${GENERATED}/tocha-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${GENERATED}/tocha-config.cmake ${GENERATED}/tocha-config-version.cmake DESTINATION ${package})
