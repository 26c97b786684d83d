"""JSON values as the documentation means them, sharing nothing with the server.

null is None; booleans, strings, lists and dicts are Python's; a number is a Num, which keeps its
text beside its exact value.
"""
import json
import re
from fractions import Fraction

IDENTIFIER = re.compile(r"[A-Za-z_$\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]*\Z")


class Unspecified(Exception):
    """The documentation leaves the answer open: only the server's roads are compared."""


class Num:
    __slots__ = ("text", "value")

    def __init__(self, text):
        self.text = text
        self.value = Fraction(text)

    def __repr__(self):
        return self.text


def parse(text):
    return json.loads(text, parse_int=Num, parse_float=Num)


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
           "\t": "\\t"}


def quote(text):
    return '"' + "".join(
        ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def dump(value):
    """JSON text with a blank behind `,` and `:`; numbers as they were written."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, Num):
        return value.text
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    return "{" + ", ".join(f"{quote(k)}: {dump(v)}" for k, v in value.items()) + "}"


def unquoted(value):
    return value if isinstance(value, str) else dump(value)


def kind(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {Num: "number", str: "string", dict: "object", list: "array"}[type(value)]


RANK = {"null": 0, "number": 1, "string": 2, "object": 3, "array": 4, "boolean": 5}


def key(value):
    """Hashable; equal for what compares equal."""
    what = kind(value)
    if what == "number":
        return (what, value.value)
    if what == "array":
        return (what, tuple(map(key, value)))
    if what == "object":
        return (what, frozenset((name, key(one)) for name, one in value.items()))
    return (what, value)


def exact_key(value):
    """Hashable; tells apart what is written differently (the order of members does not count)."""
    what = kind(value)
    if what == "number":
        return (what, value.text)
    if what == "array":
        return (what, tuple(map(exact_key, value)))
    if what == "object":
        return (what, frozenset((name, exact_key(one)) for name, one in value.items()))
    return (what, value)


def order_key(value):
    """For sorting. The order of two objects has no meaning, so all objects are alike here, and so
    are arrays that first differ at or behind an object."""
    what = kind(value)
    rank = RANK[what]
    if what == "number":
        return (rank, value.value)
    if what == "string":
        return (rank, value.encode())
    if what == "array":
        keys = []
        for one in value:
            if contains_object(one):
                raise Unspecified
            keys.append(order_key(one))
        return (rank, tuple(keys))
    if what == "boolean":
        return (rank, value)
    return (rank, 0)


def contains_object(value):
    return isinstance(value, dict) or (isinstance(value, list) and any(map(contains_object, value)))


def compare(a, b):
    """-1, 0 or 1 in MySQL's order of JSON values."""
    x, y = RANK[kind(a)], RANK[kind(b)]
    if x != y:
        return -1 if x < y else 1
    if isinstance(a, dict):
        if key(a) == key(b):
            return 0
        raise Unspecified
    if isinstance(a, list):
        for one, other in zip(a, b):
            order = compare(one, other)
            if order:
                return order
        return (len(a) > len(b)) - (len(a) < len(b))
    p, q = order_key(a), order_key(b)
    return (p > q) - (p < q)


def equal(a, b):
    return key(a) == key(b)


def contains(target, candidate):
    """JSON_CONTAINS."""
    if isinstance(target, list):
        if isinstance(candidate, list):
            return all(element_contains(target, one) for one in candidate)
        return element_contains(target, candidate)
    if isinstance(target, dict):
        return isinstance(candidate, dict) and all(
            name in target and contains(target[name], one) for name, one in candidate.items())
    return not isinstance(candidate, (list, dict)) and equal(target, candidate)


def element_contains(array, candidate):
    if isinstance(candidate, list):
        return any(isinstance(one, list) and contains(one, candidate) for one in array)
    return any(contains(one, candidate) for one in array)


def overlaps(a, b):
    """JSON_OVERLAPS."""
    if isinstance(a, dict) and isinstance(b, dict):
        return any(name in b and equal(one, b[name]) for name, one in a.items())
    left = a if isinstance(a, list) else [a]
    right = {key(one) for one in (b if isinstance(b, list) else [b])}
    return any(key(one) in right for one in left)


# ---- places ------------------------------------------------------------------------------------
# A path is a list of legs: ["m", name], [".*"], ["i", n], ["last", n], ["range", m, n], ["[*]"],
# ["**"]. A place is a tuple of member names (str) and positions (int).

WILD = {".*", "[*]", "**", "range"}


def has_wildcard(legs):
    return any(leg[0] in WILD for leg in legs)


def children(place, value):
    if isinstance(value, dict):
        return [(place + (name,), one) for name, one in value.items()]
    if isinstance(value, list):
        return [(place + (i,), one) for i, one in enumerate(value)]
    return []


def below(place, value):
    out = [(place, value)]
    for child in children(place, value):
        out.extend(below(*child))
    return out


def cells(leg, count):
    if leg[0] == "[*]":
        return range(count)
    if leg[0] == "i":
        return range(leg[1], leg[1] + 1) if leg[1] < count else range(0)
    if leg[0] == "last":
        at = count - 1 - leg[1]
        return range(at, at + 1) if at >= 0 else range(0)
    return range(leg[1], min(leg[2] + 1, count))


def step(leg, place, value):
    what = leg[0]
    if what == "m":
        if isinstance(value, dict) and leg[1] in value:
            return [(place + (leg[1],), value[leg[1]])]
        return []
    if what == ".*":
        return children(place, value) if isinstance(value, dict) else []
    if what == "**":
        return below(place, value)
    if isinstance(value, list):
        return [(place + (i,), value[i]) for i in cells(leg, len(value))]
    wraps = what != "[*]" and len(cells(leg, 1)) > 0
    return [(place, value)] if wraps else []


def select(document, legs):
    """The (place, value) pairs that a path selects, each once."""
    found = {(): document}
    for leg in legs:
        reached = {}
        for place, value in found.items():
            for where, one in step(leg, place, value):
                reached.setdefault(where, one)
        found = reached
    return list(found.items())


def is_scalar(value):
    return not isinstance(value, (list, dict))


def scalars(place, value, into_objects=True):
    """The scalars at and below a place, in document order."""
    if is_scalar(value):
        return [(place, value)]
    if isinstance(value, dict) and not into_objects:
        return []
    return [pair for child in children(place, value) for pair in scalars(*child, into_objects)]


def member_text(name):
    return "." + (name if IDENTIFIER.match(name) else quote(name))


def place_text(place):
    return "$" + "".join(f"[{leg}]" if isinstance(leg, int) else member_text(leg) for leg in place)


def canonical_text(place):
    return "$" + "".join("[*]" if isinstance(leg, int) else member_text(leg) for leg in place)


def legs_text(legs):
    """As JSON_EXTRACT and `->` take it."""
    out = "$"
    for leg in legs:
        what = leg[0]
        if what == "m":
            out += member_text(leg[1])
        elif what == "i":
            out += f"[{leg[1]}]"
        elif what == "last":
            out += "[last]" if leg[1] == 0 else f"[last-{leg[1]}]"
        elif what == "range":
            out += f"[{leg[1]} to {leg[2]}]"
        else:
            out += what
    return out
