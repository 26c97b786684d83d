"""A collection with more text of paths than the server keeps apart: names are folded from some
point on, and a search by name must still find what came later."""
import random

from cases import Case
from documents import quote
from statements import Generator, integer, path, text

NAME_BYTES = 1_000_000


def nested(levels):
    """Each level is three more paths, folded or not."""
    return f'{{"d": {nested(levels - 1)}, "e": [[{levels}]]}}' if levels else "1"


def documents():
    name = quote("k" * NAME_BYTES)
    return ['{"_id": 10, "x": 1}',  # a name that is known before
            f'{{"_id": 0, {name}: {nested(20)}}}',  # beyond the first budget
            '{"_id": 11, "new": {"newer": 1}}',  # is folded
            f'{{"_id": 1, {name}: {nested(60)}}}',  # beyond the second
            '{"_id": 2, "x": {"y": {"b": "target"}}, "n": 1}',
            '{"_id": 3, "x": {"z": {"b": "target"}}, "late": [{"b": "target"}]}']


def cases():
    texts = {"shop.items": documents()}
    wheres = [
        ["cmp", "=", path("x", "y", "b"), text("target")],
        ["cmp", "=", path("n"), integer(1)],
        ["cmp", "=", ["path", [["**"], ["m", "b"]], "plain"], text("target")],
        ["cmp", "=", ["path", [["m", "late"], ["[*]"], ["m", "b"]], "plain"], text("target")],
        ["like", False, ["path", [["m", "x"], [".*"], ["m", "b"]], "plain"], text("tar%")],
        ["cmp", "=", ["any"], text("target")],
        ["isnull", True, path("x", "z")],
    ]
    generator = Generator(random.Random(0), None)
    for where in wheres:
        statement = generator.statement(where=where)
        statement["from"] = "shop.items"
        yield Case(texts, statement)
