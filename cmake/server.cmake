# What the command needs besides the library, in cairn_app_parts: cJSON and zlib, and libwebsockets where it is
# installed. Without that the server is left out (app/web/server_absent.c) and commands that need it say so.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(CAIRN_APP REQUIRED QUIET IMPORTED_TARGET libcjson zlib)
pkg_check_modules(WEBSOCKETS QUIET IMPORTED_TARGET libwebsockets>=4.0)
set(cairn_app_parts PkgConfig::CAIRN_APP Threads::Threads)
if(WEBSOCKETS_FOUND)
  list(APPEND cairn_app_parts PkgConfig::WEBSOCKETS)
  list(FILTER app_sources EXCLUDE REGEX "/server_absent\\.c$")
else()
  message(STATUS "The server is left out: libwebsockets is needed for it (tools/setup.sh build)")
  list(FILTER app_sources EXCLUDE REGEX "/server\\.c$")
endif()
