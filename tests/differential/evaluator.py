"""What a condition or expression means, by docs/expressions.md. Shares no code with the server.

A tree is a list, so that it can be kept as JSON:
  ["lit", kind, text]      kind: int, dec, dbl, text, bool, null
  ["path", legs, form]     form: plain, arrow (doc->'$.a'), text (doc->>'$.a')
  ["any"]                  the `*` of `* = 1`
  ["col", name]            collection, _id, doc, matches, path, place, value
  ["and" | "or" | "xor", tree...], ["not", tree]
  ["cmp", operator, a, b], ["in", negated, a, [tree...]], ["between", negated, a, low, high]
  ["like", negated, a, pattern], ["isnull", negated, a], ["member", negated, a, path]
  ["overlaps", a, b], ["fn", name, tree...], ["agg", name, distinct, tree or None]

A value of SQL is NULL (None), a Truth, a Number (int, decimal, double), a str, or Js(JSON value).
"""
import functools
import re
from fractions import Fraction

import jsonvalue as jv
from jsonvalue import Unspecified

FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Js:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Number:
    __slots__ = ("value", "text")

    def __init__(self, value, text):
        self.value = value
        self.text = text


class Truth(Number):
    def __init__(self, truth):
        super().__init__(Fraction(int(truth)), "1" if truth else "0")


class Row:
    def __init__(self, document, columns=None):
        self.document = document
        self.columns = columns or {}


@functools.lru_cache(4096)
def literal(kind, text):
    if kind == "null":
        return None
    if kind == "text":
        return text
    if kind == "bool":
        return Truth(text == "true")
    return Number(Fraction(text), text)


def to_json(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Js):
        return value.value
    if isinstance(value, Truth):
        return value.value == 1
    return jv.Num(value.text)


PREFIX = re.compile(r"[ \t\n\r]*\+?(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def double_value(real):
    """A double that is not whole counts as the decimal it is written as."""
    return Fraction(int(real)) if real == int(real) else Fraction(repr(real))


def leading_number(text):
    found = PREFIX.match(text)
    return double_value(float(found.group(1))) if found else Fraction(0)


def numeric(value):
    return value.value if isinstance(value, Number) else leading_number(value)


def sign(a, b):
    return (a > b) - (a < b)


def compare(a, b):
    """None if one is NULL, else -1, 0, 1."""
    if a is None or b is None:
        return None
    if isinstance(a, Js) or isinstance(b, Js):
        return jv.compare(to_json(a), to_json(b))
    if isinstance(a, Number) or isinstance(b, Number):
        return sign(numeric(a), numeric(b))
    return sign(a.encode(), b.encode())


def holds(operator, order):
    return {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0,
            ">": order > 0, ">=": order >= 0}[operator]


def is_place(tree):
    return tree[0] in ("path", "col")


def as_text(tree, value):
    """What an operator that takes text sees of a path or column."""
    return jv.unquoted(value.value) if isinstance(value, Js) and is_place(tree) else value


def like(text, pattern):
    out, at = "", 0
    while at < len(pattern):
        c = pattern[at]
        if c == "\\" and at + 1 < len(pattern):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += {"%": ".*", "_": "."}.get(c) or re.escape(c)
        at += 1
    return re.fullmatch(out, text, re.S) is not None


# ---- any path ----------------------------------------------------------------------------------


def is_many(tree):
    return tree[0] == "any" or (tree[0] == "path" and tree[2] != "text"
                                and jv.has_wildcard(tree[1]))


def many_side(tree):
    """The position in the tree of the operand that stands for many places, or None."""
    what = tree[0]
    if what in ("in", "between", "like", "isnull"):
        return 2 if is_many(tree[2]) else None
    if what == "member":
        return 3 if is_many(tree[3]) else None
    if what == "cmp":
        return 2 if is_many(tree[2]) else 3 if is_many(tree[3]) else None
    return None


def has_many(tree):
    if not isinstance(tree, list) or not tree:
        return False
    if isinstance(tree[0], str) and many_side(tree) is not None:
        return True
    return any(has_many(part) for part in tree if isinstance(part, list))


def candidates(tree, document):
    """(does the place exist, its scalars)."""
    place = tree[many_side(tree)]
    through = tree[0] == "member"
    if place[0] == "any" or (through and place[1] == [["**"], [".*"]]):
        return bool(document), jv.scalars((), document)
    found = jv.select(document, place[1])
    out = []
    for where, value in found:
        if jv.is_scalar(value):
            out.append((where, value))
        elif through:
            out.extend(jv.scalars(where, value, into_objects=False))
    return bool(found), out


def many_test(tree, row):
    """A function from a scalar to truth; None if the predicate is unknown whatever the scalar."""
    what = tree[0]
    if what == "isnull":
        return lambda one: (one is None) != tree[1]
    if what == "member":
        wanted = to_json(evaluate(tree[2], row))
        return lambda one: jv.equal(one, wanted)
    if what == "in":
        values = [evaluate(part, row) for part in tree[3]]
        wanted = [to_json(value) for value in values if value is not None]
        if not tree[1]:
            return lambda one: any(jv.equal(one, value) for value in wanted)
        if len(wanted) < len(values):
            return lambda one: False
        kinds = set(map(jv.kind, wanted))
        return lambda one: jv.kind(one) in kinds and not any(jv.equal(one, v) for v in wanted)
    others = [evaluate(part, row) for part in tree[2:]
              if isinstance(part, list) and not is_many(part)]
    if any(value is None for value in others):
        return None
    others = [to_json(value) for value in others]
    kinds = set(map(jv.kind, others))
    if what == "like":
        return lambda one: isinstance(one, str) and like(one, jv.unquoted(others[0])) != tree[1]
    if what == "between":
        low, high = others
        return lambda one: kinds == {jv.kind(one)} and tree[1] != (
            jv.compare(one, low) >= 0 and jv.compare(one, high) <= 0)
    operator = tree[1] if many_side(tree) == 2 else FLIPPED.get(tree[1], tree[1])
    return lambda one: kinds == {jv.kind(one)} and holds(operator, jv.compare(one, others[0]))


def has_null_in_list(tree, row):
    return tree[0] == "in" and any(evaluate(part, row) is None for part in tree[3])


def existential(tree, row):
    if tree[0] == "member":
        wanted = to_json(evaluate(tree[2], row))
        if isinstance(wanted, (list, dict)):
            legs = [["**"], [".*"]] if tree[3][0] == "any" else tree[3][1]
            found = jv.select(row.document, legs)
            if not found:
                return None
            return jv.contains([value for _, value in found], wanted) != tree[1]
    test = many_test(tree, row)
    if test is None:
        return None
    exists, scalars = candidates(tree, row.document)
    found = any(test(value) for _, value in scalars)
    if tree[0] == "member":
        return found != tree[1] if exists else None
    if not found and has_null_in_list(tree, row):
        return None
    return found


def matches(tree, row):
    """The places that satisfied a predicate of the tree, none of a denied one, each once, as
    {place: value}."""
    out = {}

    def visit(part, denied):
        if not isinstance(part, list) or not part:
            return
        denied ^= part[0] == "not"
        if isinstance(part[0], str) and many_side(part) is not None:
            if part[0] == "member" and part[1]:
                raise Unspecified  # what satisfies `v NOT IN path` is no place
            if denied:
                return
            test = many_test(part, row)
            if test is not None:
                out.update((where, one) for where, one in candidates(part, row.document)[1]
                           if test(one))
            return
        for inner in part:
            visit(inner, denied)

    visit(tree, False)
    return {where: one for where, one in jv.scalars((), row.document) if where in out}


# ---- evaluation --------------------------------------------------------------------------------


def truth(tree, row):
    """True, False or None (unknown)."""
    what = tree[0]
    if what == "and":
        parts = [truth(part, row) for part in tree[1:]]
        return False if False in parts else None if None in parts else True
    if what == "or":
        parts = [truth(part, row) for part in tree[1:]]
        return True if True in parts else None if None in parts else False
    if what == "xor":
        parts = [truth(part, row) for part in tree[1:]]
        return None if None in parts else sum(parts) % 2 == 1
    if what == "not":
        part = truth(tree[1], row)
        return None if part is None else not part
    if many_side(tree) is not None:
        return existential(tree, row)
    if what in PREDICATES:
        return PREDICATES[what](tree, row)
    value = evaluate(tree, row)
    if value is None:
        return None
    if isinstance(value, Js):
        if isinstance(value.value, jv.Num):
            return value.value.value != 0
        return value.value is not False
    return numeric(value) != 0


def cmp_truth(tree, row):
    order = compare(evaluate(tree[2], row), evaluate(tree[3], row))
    return None if order is None else holds(tree[1], order)


def compare_sides(a_tree, a, b_tree, b):
    """For IN and BETWEEN: numbers exactly, all else as text."""
    def number(tree, value):
        if isinstance(value, Js) and is_place(tree) and isinstance(value.value, jv.Num):
            return Number(value.value.value, value.value.text)
        return value if isinstance(value, Number) else None

    x, y = number(a_tree, a), number(b_tree, b)
    if x is not None and y is not None:
        return sign(x.value, y.value)
    return compare(as_text(a_tree, a), as_text(b_tree, b))


def in_truth(tree, row):
    value = evaluate(tree[2], row)
    if value is None:
        return None
    orders = [compare_sides(tree[2], value, part, evaluate(part, row)) for part in tree[3]]
    if 0 in orders:
        return not tree[1]
    return None if None in orders else bool(tree[1])


def between_truth(tree, row):
    value, low, high = (evaluate(part, row) for part in tree[2:5])
    first = compare_sides(tree[2], value, tree[3], low)
    second = compare_sides(tree[2], value, tree[4], high)
    if (first is not None and first < 0) or (second is not None and second > 0):
        return bool(tree[1])
    return None if first is None or second is None else not tree[1]


def like_truth(tree, row):
    value = as_text(tree[2], evaluate(tree[2], row))
    pattern = as_text(tree[3], evaluate(tree[3], row))
    if value is None or pattern is None:
        return None
    text = [one.text if isinstance(one, Number) else one for one in (value, pattern)]
    return like(*text) != tree[1]


def json_operand(tree, row):
    value = evaluate(tree, row)
    return None if value is None and tree[0] != "lit" else Js(to_json(value))


def member_truth(tree, row):
    value, target = json_operand(tree[2], row), json_operand(tree[3], row)
    if value is None or target is None:
        return None
    return jv.contains(target.value, value.value) != tree[1]


def overlaps_truth(tree, row):
    a, b = json_operand(tree[1], row), json_operand(tree[2], row)
    return None if a is None or b is None else jv.overlaps(a.value, b.value)


PREDICATES = {
    "cmp": cmp_truth, "in": in_truth, "between": between_truth, "like": like_truth,
    "member": member_truth, "overlaps": overlaps_truth,
    "isnull": lambda tree, row: (evaluate(tree[2], row) is None) != tree[1],
}


def document_argument(value):
    """JSON as it is, text parsed. Text that is no JSON is an error of the whole statement."""
    if isinstance(value, Js):
        return value.value
    try:
        return jv.parse(value)
    except (ValueError, TypeError):
        raise Unspecified from None


def call(name, arguments):
    if any(value is None for value in arguments):
        return None
    if name == "JSON_LENGTH":
        value = document_argument(arguments[0])
        return number(len(value) if isinstance(value, (list, dict)) else 1)
    if name == "JSON_CONTAINS":
        return Truth(jv.contains(document_argument(arguments[0]), document_argument(arguments[1])))
    raise ValueError(name)


def number(count):
    return Number(Fraction(count), str(count))


def evaluate(tree, row):
    what = tree[0]
    if what == "lit":
        return literal(tree[1], tree[2])
    if what == "path":
        found = jv.select(row.document, tree[1])
        if not found:
            return None
        value = [one for _, one in found] if jv.has_wildcard(tree[1]) else found[0][1]
        return jv.unquoted(value) if tree[2] == "text" else Js(value)
    if what in ("col", "agg"):
        return row.columns[column_key(tree)]
    if what == "fn":
        return call(tree[1], [evaluate(part, row) for part in tree[2:]])
    answer = truth(tree, row)
    return None if answer is None else Truth(answer)


def column_key(tree):
    return tree[1] if tree[0] == "col" else repr(tree)
