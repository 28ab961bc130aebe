# What `cmake --install` puts where: the command, headers, both libraries, the pkg-config file, the CMake
# package, the man page, the completion, the gallery and the documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET cairn)
  install(TARGETS cairn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn/scenes)
endif()

# Two export sets, because only users of the static library need the parts that it is made of.
install(TARGETS cairn_shared EXPORT cairn-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cairn_archive EXPORT cairn-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cairn-shared NAMESPACE cairn:: DESTINATION ${package_dir} FILE cairn-shared.cmake)
install(EXPORT cairn-static NAMESPACE cairn:: DESTINATION ${package_dir} FILE cairn-static.cmake)
configure_package_config_file(cmake/cairn-config.cmake.in ${PROJECT_BINARY_DIR}/cairn-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
        DESTINATION ${package_dir})
install(FILES cmake/libraries.cmake DESTINATION ${package_dir} RENAME cairn-parts.cmake)

# Paths in the .pc file are relative to the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_private "-lklu -lamd -llapacke -lm")
if(CAIRN_CHOLMOD)
  string(PREPEND pc_private "-lcholmod ")
endif()
configure_file(cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES docs/man/cairn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion/cairn.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME cairn)

# The documents, with links that work there, and as HTML (tools/docs_tree.sh).
set(docs_tree ${PROJECT_BINARY_DIR}/docs)
file(GLOB_RECURSE docs_sources CONFIGURE_DEPENDS README.md CHANGELOG.md CONTRIBUTING.md corpus/README.md docs/* examples/*
     include/cairn/*.h)
add_custom_command(OUTPUT ${docs_tree}/html/api.html
                   COMMAND ${PROJECT_SOURCE_DIR}/tools/docs_tree.sh ${docs_tree}
                   DEPENDS ${docs_sources} tools/docs_tree.sh tools/html.sh tools/html.awk tools/api.sh
                   COMMENT "Writing the documents" VERBATIM)
add_custom_target(cairn_docs ALL DEPENDS ${docs_tree}/html/api.html)
install(DIRECTORY ${docs_tree}/ DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL) # a build of single targets has none
