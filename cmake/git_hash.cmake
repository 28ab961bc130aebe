# Writes OUTPUT, a header with the commit that SOURCE is at, as
#     cmake -DSOURCE=... -DOUTPUT=... -P cmake/git_hash.cmake
# "unknown" outside git; a "+" says that files differ from the commit. Written only when it changes.
set(hash unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE found
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(hash ${found})
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE differs ERROR_QUIET)
    if(differs)
      string(APPEND hash +)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define GIT_HASH \"${hash}\"\n")
