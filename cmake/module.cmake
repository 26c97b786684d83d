# module(NAME DEPENDS folders... PUBLIC headers... SOURCES files... LIBRARIES libraries...)
#
# One folder is one library. DEPENDS lists the folders it may include, PUBLIC the headers that other
# folders may include; tests/layers_test.py reads these calls and refuses any other include.
# LIBRARIES are third-party and stay private to the folder unless named in PUBLIC_LIBRARIES.
function(module NAME)
  cmake_parse_arguments(M "" "" "DEPENDS;PUBLIC;SOURCES;LIBRARIES;PUBLIC_LIBRARIES" ${ARGN})
  if(NOT M_SOURCES)  # headers only
    add_library(${NAME} INTERFACE)
    target_link_libraries(${NAME} INTERFACE wherestar_options ${M_DEPENDS} ${M_PUBLIC_LIBRARIES})
    return()
  endif()
  add_library(${NAME} STATIC ${M_SOURCES})
  target_link_libraries(${NAME} PUBLIC wherestar_options ${M_DEPENDS} ${M_PUBLIC_LIBRARIES}
    PRIVATE ${M_LIBRARIES})
endfunction()

# module_test(NAME SOURCES files... LIBRARIES folders...): one doctest binary for one folder.
function(module_test NAME)
  cmake_parse_arguments(M "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${NAME}_test ${M_SOURCES} ${CMAKE_SOURCE_DIR}/tests/doctest_main.cc)
  target_link_libraries(${NAME}_test PRIVATE ${NAME} ${M_LIBRARIES} doctest::doctest)
  doctest_discover_tests(${NAME}_test TEST_PREFIX "${NAME}: " PROPERTIES TIMEOUT 900
    DISCOVERY_TIMEOUT 60)
endfunction()
