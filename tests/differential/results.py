"""What a SELECT must answer, and whether a reply of the server is such an answer."""
import functools
import math
from collections import Counter

import evaluator as ev
import jsonvalue as jv
from jsonvalue import Unspecified

MATCH_COLUMNS = {"matches", "path", "place", "value"}


class MustFail(Exception):
    """The statement is wrong and has to be refused."""


def walk(tree):
    if isinstance(tree, list):
        yield tree
        for part in tree:
            yield from walk(part)


def columns_used(statement):
    parts = [statement["select"], statement["where"], statement["group"], statement["having"],
             statement["order"]]
    return {tree[1] for tree in walk([part for part in parts if part])
            if len(tree) == 2 and tree[0] == "col"}


def sources(statement, store):
    source = statement["from"]
    if source == "*":
        return sorted(store)
    if source.endswith(".*"):
        return sorted(name for name in store if name.startswith(source[:-1]))
    return [source]


def rows_of(statement, store):
    """Rows that satisfy WHERE, with the columns that the statement uses."""
    where, used = statement["where"], columns_used(statement)
    if used & MATCH_COLUMNS and not (where and ev.has_many(where)):
        raise Unspecified  # these are members of the document then
    for name in sources(statement, store):
        for document in store[name]:
            identity = document["_id"]
            row = ev.Row(document, {"collection": name, "doc": ev.Js(document),
                                    "_id": identity if isinstance(identity, str)
                                    else identity.text})
            for one in expanded(row, where, used):
                if where is None or ev.truth(where, one):
                    yield one


def expanded(row, where, used):
    if not used & MATCH_COLUMNS:
        return [row]
    found = ev.matches(where, row)
    row.columns["matches"] = ev.Js([{"path": jv.place_text(place), "value": value}
                                    for place, value in found.items()])
    if not used & {"path", "place", "value"}:
        return [row]
    return [ev.Row(row.document, {**row.columns, "path": jv.canonical_text(place),
                                  "place": jv.place_text(place), "value": ev.Js(value)})
            for place, value in found.items()]


# ---- grouping ----------------------------------------------------------------------------------


def group_key(value):
    if value is None:
        return None
    if isinstance(value, ev.Number):
        return ("number", value.value)
    return ("json", jv.key(value.value)) if isinstance(value, ev.Js) else ("text", value)


def aggregate(tree, rows):
    _, name, distinct, operand = tree
    if operand is None:
        return ev.number(len(rows))
    values = [ev.as_text(operand, ev.evaluate(operand, row)) for row in rows]
    values = [value for value in values if value is not None]
    if distinct:
        values = list({group_key(value): value for value in values}.values())
    if name == "COUNT":
        return ev.number(len(values))
    if not values:
        return None
    if name == "SUM":
        total = sum(map(ev.numeric, values))
        return ev.Number(total, str(float(total)))
    if any(isinstance(value, ev.Js) for value in values):
        raise Unspecified
    compare = functools.cmp_to_key(ev.compare)
    return min(values, key=compare) if name == "MIN" else max(values, key=compare)


def resolved(item, select):
    if item[0] != "pos":
        return item
    if not 1 <= item[1] <= len(select):
        raise MustFail
    return select[item[1] - 1]


def grouped(statement, rows, keys, aggregates):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(group_key(ev.evaluate(key, row)) for key in keys), []).append(row)
    if not groups and not keys:
        groups[()] = []
    for members in groups.values():
        columns = dict(members[0].columns) if members else {}
        columns.update((ev.column_key(tree), aggregate(tree, members)) for tree in aggregates)
        yield ev.Row(members[0].document if members else {}, columns)


# ---- the answer --------------------------------------------------------------------------------


class Answer:
    """Rows in the order that is asked for; those that may change places are in one group."""

    def __init__(self, groups, first, last):
        self.groups, self.first, self.last = groups, first, last

    def rows(self):
        return [row for group in self.groups for row in group]


def cell_key(value, by_value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, ev.Js):
        return ("json", (jv.key if by_value else jv.exact_key)(value.value))
    return number_key(value.value)


def number_key(value):
    """Sums of doubles depend on the order of the rows."""
    return ("number", f"{float(value):.9g}" if value.denominator > 1 else str(value))


def sort_key(value):
    if value is None:
        return (0,)
    if isinstance(value, ev.Number):
        return (1, value.value)
    if isinstance(value, str):
        return (2, value.encode())
    return (3, jv.order_key(value.value))


def sort_value(tree, row):
    """`_id` is shown as text, but its numbers sort as numbers."""
    if tree == ["col", "_id"]:
        return ev.Js(row.document["_id"])
    return ev.evaluate(tree, row)


def ordering(order):
    def compare(a, b):
        for (x, y), (_, down) in zip(zip(a[0], b[0]), order):
            if x != y:
                return (1 if x > y else -1) * (-1 if down else 1)
        return 0
    return compare


def by_value(statement, aggregates):
    return bool(statement["group"] or statement["distinct"] or aggregates)


def answer(statement, store):
    """An Answer. MustFail if the statement is wrong, Unspecified if nobody says."""
    select = statement["select"]
    keys = [resolved(item, select) for item in statement["group"]]
    order = [(resolved(item, select), down) for item, down in statement["order"]]
    aggregates = [tree for tree in walk([select, statement["having"], [o for o, _ in order]])
                  if tree and tree[0] == "agg"]
    if any(tree[0] == "agg" for key in keys for tree in walk(key) if tree):
        raise MustFail
    rows = rows_of(statement, store)
    if keys or aggregates:
        if any(tree not in keys and not only_aggregates(tree)
               for tree in select + [tree for tree, _ in order]):
            raise Unspecified  # of which row of the group?
        rows = grouped(statement, list(rows), keys, aggregates)
    alike = by_value(statement, aggregates)
    found, seen = [], set()
    for row in rows:
        if statement["having"] and not ev.truth(statement["having"], row):
            continue
        cells = tuple(cell_key(ev.evaluate(tree, row), alike) for tree in select)
        if statement["distinct"] and cells in seen:
            continue
        seen.add(cells)
        found.append(([sort_key(sort_value(tree, row)) for tree, _ in order], cells))
    compare = ordering(order)
    found.sort(key=functools.cmp_to_key(compare))
    groups = []
    for i, (_, cells) in enumerate(found):
        if i == 0 or compare(found[i - 1], found[i]):
            groups.append([])
        groups[-1].append(cells)
    first = statement["offset"]
    last = math.inf if statement["limit"] is None else first + statement["limit"]
    return Answer(groups, min(first, len(found)), min(last, len(found)))


def only_aggregates(tree):
    return tree[0] in ("agg", "lit") or (
        tree[0] not in ("path", "col", "any") and all(
            only_aggregates(part) for part in tree[1:] if isinstance(part, list)))


# ---- the reply ---------------------------------------------------------------------------------


def reply_cell(cell, alike):
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, jv.Num):
        return number_key(cell.value)
    if "json" in cell:
        return ("json", (jv.key if alike else jv.exact_key)(jv.parse(cell["json"])))
    return ("special", cell["special"])


def reply_rows(statement, reply):
    trees = [tree for tree in walk([statement["select"], statement["having"]])
             if tree and tree[0] == "agg"]
    alike = by_value(statement, trees)
    return [tuple(reply_cell(cell, alike) for cell in row) for row in reply["rows"]]


def shown(rows):
    text = ", ".join(map(repr, sorted(rows, key=repr)[:4]))
    return f"{len(rows)} rows: {text}"[:500]


def difference(expected, rows):
    """None if the rows are such an answer, else how not."""
    if len(rows) != expected.last - expected.first:
        return (f"{len(rows)} rows instead of {expected.last - expected.first}; "
                f"got {shown(rows)}; right {shown(expected.rows())}")
    at, begin = 0, 0
    for group in expected.groups:
        end = begin + len(group)
        count = max(0, min(end, expected.last) - max(begin, expected.first))
        got = Counter(rows[at:at + count])
        if got - Counter(group):
            return f"got {shown(list((got - Counter(group)).elements()))}; right {shown(group)}"
        at, begin = at + count, end
    return None
