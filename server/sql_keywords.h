// The words of the grammar. X(token) for each; reserved ones can be names only within backticks.
#pragma once

#define WHERESTAR_RESERVED_WORDS(X)                                                                \
  X(SELECT)                                                                                        \
  X(DISTINCT)                                                                                      \
  X(FROM) X(WHERE) X(GROUP) X(BY) X(HAVING) X(ORDER) X(LIMIT) X(OFFSET) X(AS) X(AND) X(OR) X(XOR)  \
      X(NOT) X(BETWEEN) X(IN) X(LIKE) X(REGEXP) X(RLIKE) X(IS) X(ESCAPE) X(COLLATE) X(DIV) X(CASE) \
          X(WHEN) X(THEN) X(ELSE) X(END) X(INTERVAL) X(NULL) X(TRUE) X(FALSE) X(INTO) X(VALUES)    \
              X(SET) X(ASC) X(DESC) X(FOR) X(LOCK) X(UNION) X(OVERLAPS)

#define WHERESTAR_OTHER_WORDS(X)                                                                   \
  X(INSERT)                                                                                        \
  X(REPLACE)                                                                                       \
  X(UPDATE) X(DELETE) X(CREATE) X(DROP) X(DATABASE) X(SCHEMA) X(COLLECTION) X(TABLE) X(IF)         \
      X(EXISTS) X(VALIDATION) X(LEVEL) X(UNIQUE) X(INDEX) X(ON) X(USE) X(SHOW) X(DATABASES)        \
          X(SCHEMAS) X(TABLES) X(COLLECTIONS) X(VARIABLES) X(STATUS) X(WARNINGS) X(ERRORS)         \
              X(INDEXES) X(KEYS) X(COLUMNS) X(FIELDS) X(PROCESSLIST) X(GRANTS) X(ENGINES)          \
                  X(COLLATION) X(FULL) X(GLOBAL) X(SESSION) X(LOCAL) X(START) X(TRANSACTION)       \
                      X(BEGIN) X(COMMIT) X(ROLLBACK) X(SAVEPOINT) X(RELEASE) X(TO) X(WORK) X(WITH) \
                          X(CONSISTENT) X(SNAPSHOT) X(READ) X(ONLY) X(WRITE) X(NAMES) X(PASSWORD)  \
                              X(ALTER) X(USER) X(IDENTIFIED) X(ANALYZE) X(EXPLAIN) X(DESCRIBE)     \
                                  X(SHARE) X(MODE) X(NOWAIT) X(SKIP) X(LOCKED) X(IGNORE)           \
                                      X(DUPLICATE) X(KEY) X(UNSET) X(REMOVE) X(MEMBER) X(OF)       \
                                          X(DEFAULT) X(CHARACTER) X(ISOLATION) X(ENGINE) X(LAST)   \
                                              X(DATE) X(TIME) X(TIMESTAMP) X(CHARSET)
