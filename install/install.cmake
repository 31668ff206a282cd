# What `cmake --install build --prefix PREFIX` puts where: the program, libtocha with its headers and the GPU plug-ins beside it,
# the module for stock Lua, and what pkg-config and find_package(tocha) ask for. Nothing holds an absolute path: the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TOCHA_LUA_MODULES ${CMAKE_INSTALL_LIBDIR}/lua/5.4 CACHE STRING "Where torch.so goes, below the prefix")
file(RELATIVE_PATH program_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH module_to_lib /${TOCHA_LUA_MODULES} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(tocha PROPERTIES INSTALL_RPATH "$ORIGIN/${program_to_lib}")
set_target_properties(torch PROPERTIES INSTALL_RPATH "$ORIGIN/${module_to_lib}")

set_target_properties(libtocha PROPERTIES EXPORT_NAME tocha)
install(TARGETS libtocha EXPORT tocha LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tocha RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS torch LIBRARY DESTINATION ${TOCHA_LUA_MODULES})
install(DIRECTORY runtime/include/tocha bindings/include/tocha ${GENERATED}/include/tocha DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
foreach(plugin tocha_cuda tocha_cuda_simulated)
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()
# What an editor must know (docs/make/annotations.lua), and the manual page.
file(GLOB MAKE_SCRIPTS CONFIGURE_DEPENDS docs/make/*.lua)
add_custom_command(
  OUTPUT ${GENERATED}/meta/torch.lua
  COMMAND ${CMAKE_COMMAND} -E make_directory ${GENERATED}/meta
  COMMAND tocha docs/make/annotations.lua > ${GENERATED}/meta/torch.lua
  DEPENDS tocha ${MAKE_SCRIPTS} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "annotations")
add_custom_target(annotations ALL DEPENDS ${GENERATED}/meta/torch.lua)
install(FILES ${GENERATED}/meta/torch.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/tocha/meta OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/reference DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
configure_file(install/tocha.1.in ${GENERATED}/tocha.1 @ONLY)
install(FILES ${GENERATED}/tocha.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# The reference: pages with a search box in build/reference, pages of Markdown in docs/reference.
add_custom_target(reference_site COMMAND tocha docs/make/site.lua ${CMAKE_BINARY_DIR}/reference
  COMMAND tocha docs/make/reference.lua docs/reference WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DEPENDS tocha COMMENT "reference")
install(FILES LICENSE README.md REPL.md NEWS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(install/tocha.pc.in ${GENERATED}/tocha.pc @ONLY)
install(FILES ${GENERATED}/tocha.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tocha)
target_include_directories(libtocha INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(EXPORT tocha FILE tocha-config.cmake NAMESPACE tocha:: DESTINATION ${package})
write_basic_package_version_file(${GENERATED}/tocha-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${GENERATED}/tocha-config-version.cmake DESTINATION ${package})
