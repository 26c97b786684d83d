"""Histories of several sessions: generated, run beside the model, made small.

A step is [session, what, ...]:
  begin, commit, rollback, checkpoint, kill; savepoint NAME, rollback_to NAME
  insert TEXT; update CONDITION CHANGES; delete CONDITION; read CONDITION FORM
  lock CONDITION MODE FORM              (SELECT ... FOR UPDATE or SHARE)
A change is ["set", member, value], ["increment"], ["remove", member] or ["collection"].
A step that cannot be taken (its session waits, or it is not foreseeable who would wait) is left out,
so that steps can be dropped from a history freely.
"""
from collections import Counter

import evaluator as ev
import jsonvalue as jv
import sql as write
import statistics_check
from client import DriverDied
from documents import PREFIX
from jsonvalue import Num
from model import Model

SESSIONS = ["a", "b", "c"]
COLLECTION = "shop.items"
IDS = [1, 2, 3, 4, 5, 6]
TEXTS = ["red", "blue", "5", PREFIX + "a", PREFIX + "b", ""]
FORMS = ["doc", "doc", "count"]


class Wrong(Exception):
    """The server did what the model does not allow."""


def path(name):
    return ["path", [["m", name]], "plain"]


class Generator:
    def __init__(self, random):
        self.random = random

    def document(self):
        identity = self.random.choice(IDS)
        more = self.random.choice(["", ', "tags": ["red", 5]', ', "tags": [{"n": 0}, null]'])
        return (f'{{"_id": {identity}, "n": {self.random.randrange(3)}, '
                f'"t": {jv.quote(self.random.choice(TEXTS))}{more}}}')

    def condition(self):
        roll = self.random.random()
        if roll < 0.5:
            return self.one()
        if roll < 0.75:
            return ["cmp", "=", path("n"), ["lit", "int", str(self.random.randrange(4))]]
        if roll < 0.9:
            value = ["lit", "text", self.random.choice(TEXTS)]
            return ["cmp", "=", self.random.choice([["any"], path("t")]), value]
        return None

    def one(self):
        return ["cmp", "=", path("_id"), ["lit", "int", str(self.random.choice(IDS))]]

    def changes(self):
        roll = self.random.random()
        if roll < 0.4:
            return [["increment"]]
        if roll < 0.6:
            return [["set", "n", str(self.random.randrange(4))]]
        if roll < 0.85:
            return [["set", "t", jv.quote(self.random.choice(TEXTS))]]
        if roll < 0.95:
            return [["remove", self.random.choice(["t", "tags"])]]
        return [["collection"]]

    def step(self):
        session = self.random.choice(SESSIONS)
        roll = self.random.random()
        if roll < 0.13:
            return [session, "begin"]
        if roll < 0.22:
            return [session, "commit"]
        if roll < 0.26:
            return [session, "rollback"]
        if roll < 0.30:
            return [session, "savepoint", self.random.choice("xy")]
        if roll < 0.33:
            return [session, "rollback_to", self.random.choice("xy")]
        if roll < 0.43:
            return [session, "insert", self.document()]
        if roll < 0.60:
            return [session, "update", self.condition(), self.changes()]
        if roll < 0.67:
            return [session, "delete", self.condition()]
        if roll < 0.76:
            return [session, "lock", self.condition(), self.random.choice(["UPDATE", "SHARE"]),
                    self.random.choice(FORMS)]
        if roll < 0.97:
            return [session, "read", self.condition(), self.random.choice(FORMS)]
        return [session, "checkpoint"] if roll < 0.985 else [session, "kill"]

    def stale_write(self):
        """A transaction writes what another has changed since its snapshot, and goes on."""
        one, other = self.random.sample(SESSIONS, 2)
        target = self.one()
        steps = [[one, "begin"], [one, "read", self.condition(), "doc"],
                 self.random.choice([[other, "update", target, self.changes()],
                                     [other, "insert", self.document()]]),
                 self.random.choice([[one, "update", target, self.changes()],
                                     [one, "delete", self.condition()]])]
        asked = [None] + [["cmp", "=", path("n"), ["lit", "int", str(n)]] for n in range(3)]
        return steps + [[one, "read", condition, self.random.choice(["doc", "count"])]
                        for condition in asked]

    def crossing(self):
        """Two transactions that want what the other holds."""
        one, other = self.random.sample(SESSIONS, 2)
        targets = [["cmp", "=", path("_id"), ["lit", "int", str(i)]]
                   for i in self.random.sample(IDS, 2)]
        order = [(one, 0), (other, 1), (one, 1), (other, 0)]
        steps = [[one, "begin"], [other, "begin"]]
        for session, which in order:
            steps.append(self.random.choice([
                [session, "lock", targets[which], "UPDATE", self.random.choice(FORMS)],
                [session, "update", targets[which], self.changes()]]))
        return steps

    def history(self):
        steps = [["a", "insert", self.document()] for _ in range(4)]
        for _ in range(self.random.choice([12, 25, 40])):
            roll = self.random.random()
            steps += (self.stale_write() if roll < 0.03 else self.crossing() if roll < 0.06
                      else [self.step()])
        return steps


# ---- one step as SQL, and what it does ---------------------------------------------------------


def change_sql(change):
    if change[0] == "set":
        return f"SET {change[1]} = {write.text_literal(jv.parse(change[2]))}" if (
            change[2][0] == '"') else f"SET {change[1]} = {change[2]}"
    if change[0] == "remove":
        return f"REMOVE {change[1]}"
    return "SET z = collection" if change[0] == "collection" else "SET n = n + 1"


def step_sql(step):
    what = step[1]
    where = ""
    if what in ("update", "delete", "read", "lock") and step[2]:
        where = " WHERE " + write.tree_sql(step[2])
    if what == "insert":
        return write.insert_sql(COLLECTION, [step[2]])
    if what == "update":
        return f"UPDATE {COLLECTION} " + " ".join(map(change_sql, step[3])) + where
    if what == "delete":
        return f"DELETE FROM {COLLECTION}" + where
    if what in ("read", "lock"):
        shown = "COUNT(*)" if step[-1] == "count" else "doc"
        locking = f" FOR {step[3]}" if what == "lock" else ""
        return f"SELECT {shown} FROM {COLLECTION}" + where + locking
    return {"begin": "START TRANSACTION", "rollback_to": "ROLLBACK TO {}",
            "savepoint": "SAVEPOINT {}"}.get(what, what.upper()).format(*step[2:])


def changed(document, changes):
    out = dict(document)
    for change in changes:
        if change[0] == "set":
            out[change[1]] = jv.parse(change[2])
        elif change[0] == "remove":
            out.pop(change[1], None)
        elif change[0] == "collection":
            out["z"] = COLLECTION
        else:
            out["n"] = Num(f"{int(document['n'].value) + 1}.0")
    return out


def matching(view, condition):
    return {i: document for i, document in view.items()
            if condition is None or ev.truth(condition, ev.Row(document))}


class Runner:
    def __init__(self, driver, check_statistics=True):
        self.driver = driver
        self.check_statistics = check_statistics
        self.model = Model()
        self.waiting = {}  # step by session
        self.log = []  # what was sent

    def run(self, steps):
        """None, or what went wrong."""
        self.driver.must("DROP DATABASE IF EXISTS shop")
        self.driver.must("CREATE DATABASE shop")
        self.driver.must("CREATE COLLECTION " + COLLECTION)
        try:
            for step in steps:
                if step[0] not in self.waiting:
                    self.take(step)
                self.look_for_early_replies()
            for session in SESSIONS:  # a transaction is left open: its work must be gone
                self.finish(session)
            self.final_check()
        except Wrong as wrong:
            return str(wrong)
        except DriverDied as death:
            self.driver.restart()
            return f"the server died: {death}"
        finally:
            self.close_sessions()
        return None

    def close_sessions(self):
        for operation in ("cancel", "close"):
            for session in SESSIONS:
                self.driver.operate(operation, session)
        for session in SESSIONS:
            self.driver.replies.pop(session, None)

    def finish(self, session):
        self.look_for_early_replies()
        if session not in self.waiting:
            self.take([session, "rollback"])

    def take(self, step):
        what = step[1]
        if what in ("kill", "checkpoint"):
            self.log.append(f"-- {what}")
            if what == "checkpoint":
                self.driver.operate("checkpoint")
                return
            self.driver.restart()
            self.model.transactions, self.model.locks, self.waiting = {}, {}, {}
        elif what in ("insert", "update", "delete", "lock"):
            self.take_locking(step)
        elif what == "read":
            self.check_rows(step, self.ask(step), newest=False)
        else:
            self.take_control(step)

    def send(self, step):
        self.log.append(f"{step[0]}: {step_sql(step)};")
        self.driver.send(step[0], step_sql(step))

    def ask(self, step):
        self.send(step)
        return self.driver.receive(step[0])

    def take_control(self, step):
        session, what = step[:2]
        model = self.model
        is_open = session in model.transactions
        reply = self.ask(step)
        right = True
        if what == "begin":
            model.begin(session)
        elif what == "commit":
            model.commit(session)
        elif what == "rollback":
            model.end(session)
        elif what == "savepoint" and is_open:
            model.savepoint(session, step[2])
        elif what == "rollback_to":
            right = is_open and model.rollback_to(session, step[2])
        if right != ("error" not in reply):
            raise Wrong(f"{step_sql(step)}: {reply.get('error', 'no error')}")
        self.wake()

    # ---- locks ---------------------------------------------------------------------------------

    def targets(self, step):
        if step[1] == "insert":
            return [int(jv.parse(step[2])["_id"].value)]
        return sorted(matching(self.model.view(step[0], newest=True), step[2]))

    @staticmethod
    def mode(step):
        return "S" if step[1] == "lock" and step[3] == "SHARE" else "X"

    def take_locking(self, step):
        session = step[0]
        ids, mode = self.targets(step), self.mode(step)
        blockers = self.model.blockers(session, ids, mode)
        awaited = {i for other in self.waiting.values() for i in self.targets(other)}
        several = any(len(self.targets(other)) != 1 for other in self.waiting.values())
        if not self.model.holds_all(session, ids) and (several or awaited & set(ids)) and ids:
            return  # who comes first is not foreseeable
        if not blockers:
            self.complete(step, self.ask(step))
            return
        if len(ids) > 1 and self.waiting:
            return
        self.send(step)
        self.waiting[session] = step
        circle = self.circle(session)
        if circle:
            self.give_up(self.victim_of(circle))

    def victim_of(self, circle):
        """Whom the server chose. Those that it lets go on may be quicker to say so."""
        early = {}
        while len(early) < len(circle):
            session, reply = self.driver.receive_any([one for one in circle if one not in early])
            if reply.get("code") == "deadlock":
                for other, kept in early.items():
                    self.driver.put_back(other, kept)
                return session
            early[session] = reply
        raise Wrong(f"a circle of {circle}, but they got "
                    f"{[brief(reply) for reply in early.values()]}")

    def circle(self, session):
        """The sessions that wait for each other, if `session` waits for itself."""
        def reach(one, seen):
            for other in self.blockers_of(one):
                if other == session:
                    return seen
                if other in self.waiting and other not in seen:
                    found = reach(other, seen + [other])
                    if found:
                        return found
            return None
        return reach(session, [session])

    def blockers_of(self, session):
        step = self.waiting[session]
        return self.model.blockers(session, self.targets(step), self.mode(step))

    def give_up(self, victim):
        """A deadlock's victim loses its transaction, and the others go on."""
        self.log.append(f"-- {victim}: deadlock, rolled back")
        self.waiting.pop(victim, None)
        self.model.end(victim)
        self.wake()

    def wake(self):
        """Takes the replies of those that have nothing left to wait for."""
        for session, step in list(self.waiting.items()):
            if self.waiting.get(session) is step and not self.blockers_of(session):
                del self.waiting[session]
                self.complete(step, self.driver.receive(session))

    def look_for_early_replies(self):
        for session, step in list(self.waiting.items()):
            if not self.driver.has_reply(session):
                continue
            reply = self.driver.receive(session)
            if not self.may_give_up(step, reply):
                raise Wrong(f"{session} should wait for {sorted(self.blockers_of(session))}, "
                            f"but got {brief(reply)}")
            self.give_up(session)

    def may_give_up(self, step, reply):
        """To refuse a write to what is newer than the snapshot is allowed."""
        return reply.get("code") == "deadlock" and step[1] != "lock" and (
            self.model.is_newer(step[0], self.targets(step)))

    # ---- what a statement did ------------------------------------------------------------------

    def complete(self, step, reply):
        session, what = step[:2]
        if self.may_give_up(step, reply):
            self.give_up(session)
            return
        ids = self.targets(step)
        self.model.lock(session, ids, self.mode(step))
        view = self.model.view(session, newest=True)
        if what == "lock":
            self.check_rows(step, reply, newest=True)
            changes = {}
        elif what == "insert":
            if ids[0] in view:
                if reply.get("code") != "duplicate_id":
                    raise Wrong(f"_id {ids[0]} is taken, but got {brief(reply)}")
                self.wake()
                return
            changes = {ids[0]: jv.parse(step[2])}
        elif what == "delete":
            changes = dict.fromkeys(ids)
        else:
            changes = {i: changed(view[i], step[3]) for i in ids}
            changes = {i: document for i, document in changes.items()
                       if jv.exact_key(document) != jv.exact_key(view[i])}
        if what != "lock":
            if "error" in reply or reply["affected"].value != len(changes):
                raise Wrong(f"{step_sql(step)}: {len(changes)} documents change, "
                            f"but got {brief(reply)}")
            self.model.write(session, changes)
        self.wake()

    def check_rows(self, step, reply, newest):
        view = matching(self.model.view(step[0], newest), step[2])
        if "error" in reply:
            raise Wrong(f"{step_sql(step)}: {reply['error']}")
        if step[-1] == "count":
            right, told = len(view), reply["rows"][0][0].value
        else:
            right = list(view.values())
            told = [jv.parse(row[0]["json"]) for row in reply["rows"]]
            if Counter(map(jv.exact_key, right)) == Counter(map(jv.exact_key, told)):
                return
        if right != told:
            raise Wrong(f"{step_sql(step)}: got {str(told)[:300]}; right {str(right)[:300]}")

    def final_check(self):
        view = self.model.newest
        for condition in [None, ["cmp", "=", path("n"), ["lit", "int", "1"]],
                          ["cmp", "=", ["any"], ["lit", "text", "red"]]]:
            for form in ("doc", "count"):
                step = ["main", "read", condition, form]
                self.check_rows(step, self.driver.execute(step_sql(step)), newest=True)
        problems = self.driver.operate("verify")
        if problems.get("error") or problems["problems"]:
            raise Wrong(f"verify: {problems}")
        if self.check_statistics:
            wrong = list(statistics_check.differences(self.driver, COLLECTION, view.values()))
            if wrong:
                raise Wrong("statistics: " + "; ".join(wrong[:3]))


def brief(reply):
    return reply.get("error") or f"{len(reply['rows'])} rows, {reply['affected']} affected"


def run(driver, steps, check_statistics=True):
    """(what went wrong or None, what was sent)."""
    runner = Runner(driver, check_statistics)
    return runner.run(steps), runner.log
