"""Writes trees (see evaluator.py) and statements (see statements.py) as SQL."""
import jsonvalue as jv


def text_literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "''").replace("\0", "\\0") + "'"


def leg_sql(leg):
    if leg[0] != "m" or jv.IDENTIFIER.match(leg[1]):
        return jv.legs_text([leg])[1:]
    name = leg[1].replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\0")
    return f'."{name}"'


def path_sql(legs, form):
    if form in ("arrow", "text"):
        return "doc" + ("->" if form == "arrow" else "->>") + text_literal(jv.legs_text(legs))
    text = "$" + "".join(map(leg_sql, legs))
    return text[2:] if form == "bare" else text


def literal_sql(kind, text):
    if kind == "text":
        return text_literal(text)
    return text.upper() if kind in ("bool", "null") else text


def tree_sql(tree):
    what = tree[0]
    if what == "lit":
        return literal_sql(tree[1], tree[2])
    if what == "path":
        return path_sql(tree[1], tree[2])
    if what == "any":
        return "*"
    if what == "col":
        return tree[1]
    if what in ("and", "or", "xor"):
        return "(" + f" {what.upper()} ".join(map(tree_sql, tree[1:])) + ")"
    if what == "not":
        return f"NOT ({tree_sql(tree[1])})"
    if what == "fn":
        return f"{tree[1]}({', '.join(map(tree_sql, tree[2:]))})"
    if what == "agg":
        inside = "*" if tree[3] is None else tree_sql(tree[3])
        return f"{tree[1]}({'DISTINCT ' if tree[2] else ''}{inside})"
    if what == "overlaps":
        return f"({tree_sql(tree[1])} OVERLAPS {tree_sql(tree[2])})"
    if what == "cmp":
        return f"({tree_sql(tree[2])} {tree[1]} {tree_sql(tree[3])})"
    return predicate_sql(tree)


def predicate_sql(tree):
    what, negated, place = tree[0], tree[1], tree_sql(tree[2])
    no = "NOT " if negated else ""
    if what == "in":
        return f"({place} {no}IN ({', '.join(map(tree_sql, tree[3]))}))"
    if what == "between":
        return f"({place} {no}BETWEEN {tree_sql(tree[3])} AND {tree_sql(tree[4])})"
    if what == "like":
        return f"({place} {no}LIKE {tree_sql(tree[3])})"
    if what == "member":
        return f"({place} {no}IN {tree_sql(tree[3])})"
    return f"({place} IS {no}NULL)"


def item_sql(item):
    return str(item[1]) if item[0] == "pos" else tree_sql(item)


def select_sql(statement):
    sql = "SELECT " + ("DISTINCT " if statement["distinct"] else "")
    sql += ", ".join(map(tree_sql, statement["select"])) + " FROM " + statement["from"]
    if statement["where"]:
        sql += " WHERE " + tree_sql(statement["where"])
    if statement["group"]:
        sql += " GROUP BY " + ", ".join(map(item_sql, statement["group"]))
    if statement["having"]:
        sql += " HAVING " + tree_sql(statement["having"])
    if statement["order"]:
        sql += " ORDER BY " + ", ".join(
            item_sql(item) + (" DESC" if down else "") for item, down in statement["order"])
    if statement["limit"] is not None:
        sql += f" LIMIT {statement['limit']}"
        if statement["offset"]:
            sql += f" OFFSET {statement['offset']}"
    return sql


def insert_sql(collection, texts):
    return f"INSERT INTO {collection} VALUES " + ", ".join(f"({text_literal(t)})" for t in texts)
