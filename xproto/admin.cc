#include "xproto/admin.h"

#include <algorithm>
#include <array>

#include "document/json.h"
#include "xproto/admin_arguments.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Datatypes::Any;
using Object = AdminArguments::Object;

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

server::CollectionRef collection_ref(std::string database, std::string name) {
  server::CollectionRef ref;
  ref.database = std::move(database);
  ref.collection = std::move(name);
  return ref;
}

AdminCommand make(server::Statement statement, ErrorContext context) {
  return AdminStatement{.statement = std::move(statement), .context = context};
}

// {schema: object or JSON text, level: "strict" or "off"}. An empty one is an error to modify with,
// and nothing to create with.
std::optional<server::Validation> validation_of(AdminArguments& options, bool may_be_empty) {
  const Object* object =
      may_be_empty ? options.optional_object("validation") : options.object("validation");
  if (object == nullptr) return std::nullopt;
  if (object->fld_size() == 0) {
    if (!may_be_empty) {
      options.fail(code::kAdminArgumentEmpty, "Arguments value 'validation' is empty");
    }
    return std::nullopt;
  }
  AdminArguments fields(object, "options.validation.");
  server::Validation validation;
  if (const Any* schema = fields.find("schema")) {
    if (schema->type() == Any::OBJECT) {
      std::string text;
      if (auto status = append_json(text, *schema); !status) {
        fields.fail(status.error().code, status.error().message);
      }
      validation.schema_json = std::move(text);
    } else {
      validation.schema_json = fields.optional_string("schema");
    }
  }
  if (auto level = fields.optional_string("level")) {
    validation.level = lower(*level);
    if (*validation.level != "strict" && *validation.level != "off") {
      fields.fail(code::kAdminArgumentValue,
                  "Invalid value for argument 'options.validation.level': '" + *level + "'");
    }
  }
  if (auto status = fields.finish(); !status) {
    options.fail(status.error().code, status.error().message);
  }
  return validation;
}

XResult<AdminCommand> create_collection(AdminArguments& arguments) {
  server::CreateCollection create;
  std::string database = arguments.string("schema");
  create.collection = collection_ref(database, arguments.string("name"));
  if (const Object* object = arguments.optional_object("options")) {
    AdminArguments options(object, "options.");
    create.validation = validation_of(options, true);
    create.if_not_exists = options.optional_boolean("reuse_existing", false);
    if (auto status = options.finish(); !status) return std::unexpected(status.error());
  }
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(create), ErrorContext::kCreateCollection);
}

XResult<AdminCommand> ensure_collection(AdminArguments& arguments) {
  server::CreateCollection create;
  create.if_not_exists = true;
  create.ensure = true;
  std::string database = arguments.optional_string("schema").value_or("");
  create.collection = collection_ref(database, arguments.string("name"));
  if (const Object* object = arguments.optional_object("options")) {
    AdminArguments options(object, "options.");
    create.validation = validation_of(options, true);
    if (auto status = options.finish(); !status) return std::unexpected(status.error());
  }
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(create), ErrorContext::kCreateCollection);
}

XResult<AdminCommand> modify_collection(AdminArguments& arguments) {
  server::ModifyCollection modify;
  std::string database = arguments.string("schema");
  modify.collection = collection_ref(database, arguments.string("name"));
  if (const Object* object = arguments.object("options")) {
    if (object->fld_size() == 0) {
      return x_fail(code::kAdminArgumentEmpty, "Arguments value 'options' is empty");
    }
    AdminArguments options(object, "options.");
    if (options.has("validation")) {
      if (auto validation = validation_of(options, false)) modify.validation = *validation;
    }
    if (auto status = options.finish(); !status) return std::unexpected(status.error());
  }
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(modify), ErrorContext::kModifyCollection);
}

XResult<AdminCommand> get_collection_options(AdminArguments& arguments) {
  server::GetCollectionOptions get;
  std::string database = arguments.string("schema");
  get.collection = collection_ref(database, arguments.string("name"));
  get.options = arguments.strings("options");
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(get), ErrorContext::kCollectionOptions);
}

XResult<AdminCommand> drop_collection(AdminArguments& arguments) {
  server::DropCollection drop;
  std::string database = arguments.string("schema");
  drop.collection = collection_ref(database, arguments.string("name"));
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(drop), ErrorContext::kDropCollection);
}

// The first word or words of a column type, such as INT, "DOUBLE UNSIGNED", TEXT(64).
bool is_index_type(std::string_view text) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"BIT",   "TINYINT", "SMALLINT", "MEDIUMINT", "INT",    "INTEGER", "BIGINT",    "DECIMAL",
       "FLOAT", "DOUBLE",  "REAL",     "NUMERIC",   "DATE",   "TIME",    "TIMESTAMP", "DATETIME",
       "YEAR",  "BLOB",    "CHAR",     "TEXT",      "BINARY", "GEOJSON", "FULLTEXT"});
  std::string type = upper(text);
  size_t end = std::min(type.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), type.size());
  std::string_view word = std::string_view(type).substr(0, end);
  if (std::ranges::find(kTypes, word) == kTypes.end()) return false;
  return std::string_view(type).substr(end).find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_(), ") == std::string_view::npos;
}

XResult<server::IndexMember> index_member(const Object& object) {
  AdminArguments fields(&object, "constraint.");
  server::IndexMember member;
  std::string path = fields.has("field") ? fields.string("field") : fields.string("member");
  member.type = fields.optional_string("type").value_or("");
  member.required = fields.optional_boolean("required", false);
  member.array = fields.optional_boolean("array", false);
  fields.optional_unsigned_integer("options");
  fields.optional_unsigned_integer("srid");
  fields.optional_string("collation");
  if (!fields.failed()) {
    auto parsed = document::PathExpression::parse(path);
    if (parsed) member.path = *std::move(parsed);
    if (!parsed || member.path.is_root()) {
      fields.fail(code::kAdminArgumentValue,
                  "Invalid value for argument 'constraint.member': '" + path + "'");
    }
    if (!member.type.empty() && !is_index_type(member.type)) {
      fields.fail(code::kAdminArgumentValue,
                  "Invalid or unsupported type specification '" + member.type + "'");
    }
  }
  if (auto status = fields.finish(); !status) return std::unexpected(status.error());
  return member;
}

XResult<AdminCommand> create_index(AdminArguments& arguments) {
  server::CreateIndex create;
  std::string database = arguments.string("schema");
  create.collection = collection_ref(database, arguments.string("collection"));
  create.name = arguments.string("name");
  create.unique = arguments.boolean("unique");
  create.type = upper(arguments.optional_string("type").value_or("INDEX"));
  arguments.optional_string("with_parser");
  auto members = arguments.objects(arguments.has("fields") ? "fields" : "constraint");
  if (create.type != "INDEX" && create.type != "SPATIAL" && create.type != "FULLTEXT") {
    arguments.fail(code::kAdminArgumentValue,
                   "Argument value '" + create.type + "' for index type is invalid");
  }
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  for (const Object* object : members) {
    auto member = index_member(*object);
    if (!member) return std::unexpected(std::move(member).error());
    create.members.push_back(*std::move(member));
  }
  return make(std::move(create), ErrorContext::kCreateIndex);
}

XResult<AdminCommand> drop_index(AdminArguments& arguments) {
  server::DropIndex drop;
  std::string database = arguments.string("schema");
  drop.collection = collection_ref(database, arguments.string("collection"));
  drop.name = arguments.string("name");
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(drop), ErrorContext::kDropIndex);
}

XResult<AdminCommand> list_objects(AdminArguments& arguments) {
  server::ListObjects list;
  list.database = arguments.optional_string("schema").value_or("");
  list.pattern = arguments.optional_string("pattern");
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return make(std::move(list), ErrorContext::kSql);
}

XResult<AdminCommand> kill_client(AdminArguments& arguments) {
  KillClient kill{.client_id = arguments.unsigned_integer("id")};
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return AdminCommand(kill);
}

template <bool kEnable>
XResult<AdminCommand> switch_notices(AdminArguments& arguments) {
  SwitchNotices notices{.names = arguments.strings("notice"), .enable = kEnable};
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return AdminCommand(std::move(notices));
}

template <class Command>
XResult<AdminCommand> without_arguments(AdminArguments& arguments) {
  if (auto status = arguments.finish(); !status) return std::unexpected(status.error());
  return AdminCommand(Command{});
}

struct CommandInfo {
  std::string_view name;
  XResult<AdminCommand> (*translate)(AdminArguments&);
};

constexpr auto kCommands = std::to_array<CommandInfo>({
    {"ping", without_arguments<Ping>},
    {"list_clients", without_arguments<ListClients>},
    {"kill_client", kill_client},
    {"create_collection", create_collection},
    {"ensure_collection", ensure_collection},
    {"modify_collection_options", modify_collection},
    {"get_collection_options", get_collection_options},
    {"drop_collection", drop_collection},
    {"create_collection_index", create_index},
    {"drop_collection_index", drop_index},
    {"list_objects", list_objects},
    {"list_notices", without_arguments<ListNotices>},
    {"enable_notices", switch_notices<true>},
    {"disable_notices", switch_notices<false>},
});

}  // namespace

XResult<AdminCommand> translate_admin(const Mysqlx::Sql::StmtExecute& message) {
  std::string name = lower(message.stmt());
  const auto* command = std::ranges::find(kCommands, name, &CommandInfo::name);
  if (command == kCommands.end()) {
    return x_fail(code::kUnknownCommand, "Invalid mysqlx command " + message.stmt());
  }
  const Object* object = nullptr;
  if (message.args_size() > 1) {
    return x_fail(code::kAdminArgumentCount, "Invalid number of arguments, expected 1 but got " +
                                                 std::to_string(message.args_size()));
  }
  if (message.args_size() == 1) {
    if (message.args(0).type() != Any::OBJECT) {
      return x_fail(code::kAdminArgumentType,
                    "Invalid type of arguments, expected object of arguments");
    }
    object = &message.args(0).obj();
  }
  AdminArguments arguments(object);
  return command->translate(arguments);
}

}  // namespace wherestar::xproto
