// The subcommands of `wherestar`. Each prints its results, tells errors with place and next step,
// and gives the exit code.
#pragma once

#include <memory>

#include "tools/arguments.h"
#include "tools/connection.h"
#include "tools/console.h"
#include "tools/exit_code.h"
#include "tools/target.h"

namespace wherestar::tools {

struct Context {
  Console& console;
  const Arguments& arguments;
};

ExitCode run_summary_command(Context& context);  // paths, shapes, schema
ExitCode run_search(Context& context);
ExitCode run_sql_command(Context& context);
ExitCode run_import(Context& context);
ExitCode run_export(Context& context);
ExitCode run_verify(Context& context);
ExitCode run_reindex(Context& context);
ExitCode run_command(Context& context);

// The data directory of -D, else the server. `creates`: an absent data directory may be made.
Result<std::unique_ptr<Connection>> connect(Context& context, bool creates = false);
// Prints the error with what may help, and gives its code.
ExitCode report(Context& context, const Error& error);
// As report(), of reading a file; for one that does not exist names what is near.
ExitCode report_file(Context& context, const std::string& file, const Error& error);
// As report(), of connect().
ExitCode report_no_connection(Context& context, const Error& error);
// As report(); for an unknown database or collection names what is near.
ExitCode report_target(Context& context, Connection& connection, const Target& target,
                       const Error& error);
// The row writer of --format over standard output.
std::unique_ptr<RowWriter> result_writer(Context& context, std::vector<ColumnInfo> columns);

}  // namespace wherestar::tools
