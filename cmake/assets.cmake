# The web page (view/) as C: ${PROJECT_BINARY_DIR}/view/assets.c, in the variable cairn_assets.
#
# Made with node and npm where both are there. Without them, or when npm cannot fetch its packages, the
# command is built without the page and says so when asked for it. This file is also the script of the
# build step (cmake -P), which decides that.
set(no_page "// Built without the page.\n#include \"web/assets.h\"\n\nconst web_asset *asset_find(const char *path) {\n    (void)path;\n    return NULL;\n}\n")

if(CMAKE_SCRIPT_MODE_FILE)
  # npm's own record of what it installed is newer than the lock file when nothing is to be fetched.
  if("${SOURCE}/package-lock.json" IS_NEWER_THAN "${SOURCE}/node_modules/.package-lock.json")
    execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
                    WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status OUTPUT_QUIET)
    if(NOT status EQUAL 0)
      message("the web page is left out: npm could not fetch its packages (view/package-lock.json)")
      file(WRITE ${OUTPUT}/assets.c "${no_page}")
      return()
    endif()
    file(TOUCH_NOCREATE ${SOURCE}/node_modules/.package-lock.json)
  endif()
  execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${OUTPUT} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the web page did not build")
  endif()
  return()
endif()

option(CAIRN_VIEW "Build the web page into the command (needs node 18 and npm)" ON)
set(cairn_assets ${PROJECT_BINARY_DIR}/view/assets.c)
set(node_version v0)
if(CAIRN_VIEW)
  find_program(NODE_COMMAND NAMES node nodejs)
  find_program(NPM_COMMAND npm)
  mark_as_advanced(NODE_COMMAND NPM_COMMAND)
  if(NODE_COMMAND AND NPM_COMMAND)
    execute_process(COMMAND ${NODE_COMMAND} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
string(REPLACE "v" "" node_version "${node_version}")
if(node_version VERSION_GREATER_EQUAL 18)
  set(cairn_has_page TRUE)
  file(GLOB page_sources CONFIGURE_DEPENDS view/*.mjs view/*.html view/package-lock.json view/src/* view/src/*/*)
  add_custom_command(OUTPUT ${cairn_assets}
    COMMAND ${CMAKE_COMMAND} -DNODE=${NODE_COMMAND} -DNPM=${NPM_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/view
            -DOUTPUT=${PROJECT_BINARY_DIR}/view -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${page_sources} ${CMAKE_CURRENT_LIST_FILE} COMMENT "Building the web page" VERBATIM)
else()
  set(cairn_has_page FALSE)
  message(STATUS "The web page is left out: node 18 and npm are needed for it (tools/setup.sh build)")
  file(WRITE ${cairn_assets} "${no_page}")
endif()
