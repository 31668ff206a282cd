# pages.cmake: what the program tocha writes about itself: annotations, the reference, the manual page.
# What an editor must know (docs/make/annotations.lua). A program that cannot run on this machine is not asked.
file(GLOB MAKE_SCRIPTS CONFIGURE_DEPENDS docs/make/*.lua)
add_custom_command(
  OUTPUT ${GENERATED}/meta/torch.lua
  COMMAND ${CMAKE_COMMAND} -E make_directory ${GENERATED}/meta
  COMMAND tocha docs/make/annotations.lua > ${GENERATED}/meta/torch.lua
  DEPENDS tocha ${MAKE_SCRIPTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "annotations")
set(unasked ALL)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(unasked "")
endif()
add_custom_target(annotations ${unasked} DEPENDS ${GENERATED}/meta/torch.lua)
install(FILES ${GENERATED}/meta/torch.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/tocha/meta OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/reference DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
configure_file(install/tocha.1.in ${GENERATED}/tocha.1 @ONLY)
install(FILES ${GENERATED}/tocha.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# The reference: pages with a search box in build/reference, pages of Markdown in docs/reference.
add_custom_target(reference_site COMMAND tocha docs/make/site.lua ${PROJECT_BINARY_DIR}/reference
  COMMAND tocha docs/make/reference.lua docs/reference WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DEPENDS tocha api COMMENT "reference")
