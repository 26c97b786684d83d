"""One statement against one small store: run it, judge it, make it small."""
import jsonvalue as jv
import results
import sql as write
import statements
from client import DriverDied, Hang
from documents import simpler as simpler_documents
from evaluator import has_many

# A scan of the same condition, where the session cannot be told to scan.
NEVER = ["cmp", "=", ["lit", "int", "1"], ["lit", "int", "2"]]


class Case:
    """`documents`: texts by collection; and one SELECT."""

    def __init__(self, documents, statement):
        self.documents, self.statement = documents, statement

    def as_json(self):
        return {"area": "statement", "documents": self.documents, "statement": self.statement}

    def script(self):
        lines = [write.insert_sql(name, texts) + ";"
                 for name, texts in self.documents.items() if texts]
        return lines + [write.select_sql(self.statement) + ";"]


class Bench:
    """A driver with the three collections, filled with the documents of a case."""

    def __init__(self, driver):
        self.driver = driver
        self.can_scan = "error" not in driver.execute("SET wherestar_access = 'auto'")
        self.loaded = None

    def load(self, documents):
        if self.loaded == documents:
            return
        self.loaded = None
        for database in ("shop", "depot"):
            self.driver.must(f"DROP DATABASE IF EXISTS {database}")
            self.driver.must(f"CREATE DATABASE {database}")
        for name in statements.COLLECTIONS:
            self.driver.must(f"CREATE COLLECTION {name}")
        for name, texts in documents.items():
            # What is deleted or replaced again must leave nothing behind.
            decoys = [text for i, text in enumerate(texts) if i % 5 == 0]
            if decoys:
                self.driver.must(write.insert_sql(name, decoys))
                self.driver.must(f"DELETE FROM {name}")
            for at in range(0, len(texts), 50):
                self.driver.must(write.insert_sql(name, texts[at:at + 50]))
        self.store = {name: [jv.parse(text) for text in documents.get(name, [])]
                      for name in statements.COLLECTIONS}
        self.loaded = documents

    def by_scan(self, statement):
        """The reply of a scan, or None where none can be forced."""
        if self.can_scan:
            self.driver.must("SET wherestar_access = 'scan'")
            reply = self.driver.execute(write.select_sql(statement))
            self.driver.must("SET wherestar_access = 'auto'")
            return reply
        used = results.columns_used(statement)
        if statement["where"] is None or (used & results.MATCH_COLUMNS
                                          and has_many(statement["where"])):
            return None
        held = {**statement, "where": ["xor", statement["where"], NEVER]}
        return self.driver.execute(write.select_sql(held))

    def judge(self, case):
        """None if all roads agree, else (kind, what differs)."""
        self.load(case.documents)
        statement = case.statement
        try:
            planned = self.driver.execute(write.select_sql(statement))
            scanned = self.by_scan(statement)
        except (DriverDied, Hang) as error:
            return ("died", str(error))
        try:
            expected = results.answer(statement, self.store)
        except results.MustFail:
            expected = "error"
        except jv.Unspecified:
            expected = None
        for road, reply in (("planned", planned), ("scan", scanned)):
            if reply is None:
                continue
            wrong = self.compare(statement, expected, reply)
            if wrong:
                return (road, wrong)
        if expected is None and scanned is not None and statement["limit"] is None:
            return self.compare_roads(statement, planned, scanned)
        return None

    @staticmethod
    def compare(statement, expected, reply):
        if expected is None:
            return None
        if "error" in reply:
            return None if expected == "error" else f"error: {reply['error']}"
        if expected == "error":
            return f"{len(reply['rows'])} rows instead of an error"
        return results.difference(expected, results.reply_rows(statement, reply))

    @staticmethod
    def compare_roads(statement, planned, scanned):
        if ("error" in planned) != ("error" in scanned):
            return ("roads", f"{planned.get('error')} / {scanned.get('error')}")
        if "error" in planned:
            return None
        a, b = (sorted(map(repr, results.reply_rows(statement, reply)))
                for reply in (planned, scanned))
        return None if a == b else ("roads", f"planned {len(a)} rows, scan {len(b)} rows")


def shrink(bench, case, tries=250):
    """A smaller case that fails too. Every step that still fails is kept."""
    def fails(candidate):
        nonlocal tries
        tries -= 1
        return bench.judge(candidate) is not None

    shrunk = True
    while shrunk and tries > 0:
        shrunk = False
        for candidate in smaller(case):
            if tries <= 0:
                break
            if fails(candidate):
                case, shrunk = candidate, True
                break
    return case


def smaller(case):
    texts = [(name, text) for name, some in case.documents.items() for text in some]

    def of(kept):
        documents = {}
        for name, text in kept:
            documents.setdefault(name, []).append(text)
        return Case(documents, case.statement)

    if len(texts) > 3:  # halves and quarters first
        size = max(1, len(texts) // 2)
        while size > 1:
            for at in range(0, len(texts), size):
                yield of(texts[:at] + texts[at + size:])
            size //= 2
    for statement in statements.simpler(case.statement):
        yield Case(case.documents, statement)
    if len(texts) <= 12:
        for i in range(len(texts)):
            yield of(texts[:i] + texts[i + 1:])
    if len(texts) <= 4:
        for i, (name, text) in enumerate(texts):
            for simple in simpler_documents(text):
                yield of(texts[:i] + [(name, simple)] + texts[i + 1:])
