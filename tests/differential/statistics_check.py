"""Recounts information_schema.collection_paths and collections from the documents.

A run is a list of steps: ["insert", text], ["replace", text], ["delete", id as JSON],
["rolled back", text], ["checkpoint"].
"""
import jsonvalue as jv
import sql as write
from client import DriverDied

TYPES = ["nulls", "booleans", "integers", "doubles", "strings", "objects", "arrays"]
COLUMNS = ["path", "documents", "value_count"] + TYPES + [
    "distinct_values", "distinct_is_exact", "min_value", "max_value"]
SHORT = 96  # bytes of a string up to which the least and greatest value must be right


class Count:
    def __init__(self):
        self.documents, self.values = set(), []


def type_of(value):
    if isinstance(value, jv.Num):
        return "doubles" if set(value.text) & set(".eE") else "integers"
    return jv.kind(value) + "s"


def recount(documents, told):
    """Count by path. The names of a map are counted as `.*` where the server folded them."""
    counts = {}

    def visit(number, path, value):
        count = counts.setdefault(path, Count())
        count.documents.add(number)
        count.values.append(value)
        if isinstance(value, list):
            for one in value:
                visit(number, path + "[*]", one)
        elif isinstance(value, dict):
            for name, one in value.items():
                own = path + jv.member_text(name)
                folded = path + ".*" in told and own not in told
                visit(number, path + ".*" if folded else own, one)

    for number, document in enumerate(documents):
        visit(number, "$", document)
    return counts


def extremes(values):
    """Numbers come before strings, other scalars do not count."""
    counted = [v for v in values if isinstance(v, (jv.Num, str))]
    counted.sort(key=jv.order_key)
    return (counted[0], counted[-1]) if counted else (None, None)


def is_short(value):
    return not isinstance(value, str) or len(value.encode()) <= SHORT


def row_differences(row, count):
    told = dict(zip(COLUMNS, row))
    right = {"documents": len(count.documents), "value_count": len(count.values)}
    for what in TYPES:
        right[what] = sum(type_of(value) == what for value in count.values)
    for column, number in right.items():
        if told[column].value != number:
            yield f"{column} is {told[column]}, right {number}"
    distinct = len({jv.key(value) for value in count.values if jv.is_scalar(value)})
    off = abs(told["distinct_values"].value - distinct)
    allowed = 0 if told["distinct_is_exact"].value else max(1, distinct / 20)
    if off > allowed:
        yield f"distinct_values is {told['distinct_values']}, right {distinct}"
    for column, value in zip(("min_value", "max_value"), extremes(count.values)):
        cell = told[column] and jv.parse(told[column]["json"])
        if is_short(value) and (cell is None) != (value is None) or (
                value is not None and is_short(value) and not jv.equal(cell, value)):
            yield f"{column} is {cell}, right {value}"


def differences(driver, collection, documents, session="main"):
    """Lines that tell what is wrong; none if all is right."""
    database, name = collection.split(".")
    where = (f" WHERE schema_name = {write.text_literal(database)}"
             f" AND collection_name = {write.text_literal(name)}")
    rows = driver.must(f"SELECT {', '.join(COLUMNS)} FROM information_schema.collection_paths"
                       + where, session)["rows"]
    total = driver.must("SELECT documents FROM information_schema.collections" + where, session)
    if [[cell.value for cell in row] for row in total["rows"]] != [[len(documents)]]:
        yield f"collections.documents is {total['rows']}, right {len(documents)}"
    counts = recount(documents, {row[0] for row in rows})
    for row in rows:
        count = counts.pop(row[0], None)
        if count is None:
            yield f"{row[0]}: no document has this path"
            continue
        for line in row_differences(row, count):
            yield f"{row[0]}: {line}"
    for path in counts:
        yield f"{path}: missing"


# ---- runs --------------------------------------------------------------------------------------

COLLECTION = "shop.items"


def generate(random, maker):
    steps = [["insert", text] for text in maker.documents(random.choice([5, 20, 40]))]
    identities = [jv.dump(jv.parse(text)["_id"]) for _, text in steps]
    for _ in range(random.choice([5, 20, 40])):
        what = random.choice(["replace", "delete", "delete", "rolled back", "checkpoint"])
        if what == "delete":
            steps.append([what, random.choice(identities)])
        elif what == "checkpoint":
            steps.append([what])
        else:
            steps.append([what, maker.document_text(random.choice(identities))])
    return steps


def script(steps):
    out = []
    for step in steps:
        if step[0] == "insert":
            out.append(write.insert_sql(COLLECTION, [step[1]]))
        elif step[0] == "delete":
            identity = jv.parse(step[1])
            text = write.text_literal(identity) if isinstance(identity, str) else step[1]
            out.append(f"DELETE FROM {COLLECTION} WHERE _id = {text}")
        elif step[0] != "checkpoint":
            replace = write.insert_sql(COLLECTION, [step[1]]).replace("INSERT", "REPLACE", 1)
            rolled_back = ["START TRANSACTION", replace, "ROLLBACK"]
            out.extend(rolled_back if step[0] == "rolled back" else [replace])
        else:
            out.append("-- checkpoint")
    return out


def run(driver, steps):
    """None, or what is wrong."""
    documents = {}
    try:
        driver.must("DROP DATABASE IF EXISTS shop")
        driver.must("CREATE DATABASE shop")
        driver.must("CREATE COLLECTION " + COLLECTION)
        for step in steps:
            if step[0] in ("insert", "replace"):
                document = jv.parse(step[1])
                documents[jv.exact_key(document["_id"])] = document
            elif step[0] == "delete":
                documents.pop(jv.exact_key(jv.parse(step[1])), None)
        for line in script(steps):
            if line == "-- checkpoint":
                driver.operate("checkpoint")
            else:
                driver.must(line)
        wrong = list(differences(driver, COLLECTION, documents.values()))
        problems = driver.operate("verify")
        wrong += [problems["error"]] if "error" in problems else problems["problems"]
    except DriverDied as death:
        driver.restart()
        return f"the server died: {death}"
    except RuntimeError as error:
        return str(error)
    return "; ".join(wrong[:3]) or None
