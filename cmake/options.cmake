# Compiler options of the whole build: warnings, hardening, sanitizers, ccache.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(wherestar_options INTERFACE)
target_compile_options(wherestar_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wformat=2 -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these inside the standard library at -O2.
  target_compile_options(wherestar_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds -Wno-dangling-pointer)
endif()
target_include_directories(wherestar_options INTERFACE ${CMAKE_SOURCE_DIR})
if(WHERESTAR_SANITIZE)
  target_compile_options(wherestar_options INTERFACE
    -fsanitize=${WHERESTAR_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(wherestar_options INTERFACE -fsanitize=${WHERESTAR_SANITIZE})
  target_compile_definitions(wherestar_options INTERFACE _GLIBCXX_ASSERTIONS)
else()
  target_compile_options(wherestar_options INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS)
  target_link_options(wherestar_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)
target_link_libraries(wherestar_options INTERFACE Threads::Threads)
