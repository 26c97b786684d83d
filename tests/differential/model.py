"""MySQL's REPEATABLE READ in Python: who sees what, who waits for whom.

Plain reads see the snapshot that the first of them took, and the transaction's own writes. Writes
and locking reads see what was committed last, and the own writes. Locks are of documents, held to
the end of the transaction.
"""


class Transaction:
    def __init__(self, is_open):
        self.is_open = is_open  # by START TRANSACTION; else of one statement
        self.snapshot = None  # documents by id
        self.own = {}  # document or None (deleted) by id
        self.savepoints = []  # (name, own as it was)


class Model:
    def __init__(self):
        self.newest = {}  # committed documents by id
        self.transactions = {}  # by session
        self.locks = {}  # by id: mode by session; "S" or "X"

    def transaction(self, session):
        return self.transactions.get(session) or Transaction(False)

    def begin(self, session):
        self.commit(session)
        self.transactions[session] = Transaction(True)

    def view(self, session, newest):
        transaction = self.transaction(session)
        if not newest and transaction.is_open and transaction.snapshot is None:
            transaction.snapshot = dict(self.newest)
        plain = not newest and transaction.snapshot is not None
        seen = {**(transaction.snapshot if plain else self.newest), **transaction.own}
        return {i: document for i, document in seen.items() if document is not None}

    def is_newer(self, session, ids):
        """Was one of the documents changed since the transaction's snapshot, by another?"""
        transaction = self.transaction(session)
        return transaction.snapshot is not None and any(
            i not in transaction.own and self.newest.get(i) is not transaction.snapshot.get(i)
            for i in ids)

    def write(self, session, changes):
        transaction = self.transaction(session)
        transaction.own.update(changes)
        if not transaction.is_open:
            self.publish(transaction)

    def publish(self, transaction):
        self.newest = {**self.newest, **transaction.own}
        self.newest = {i: d for i, d in self.newest.items() if d is not None}

    def commit(self, session):
        if session in self.transactions:
            self.publish(self.transactions[session])
        self.end(session)

    def end(self, session):
        """Also a rollback: what was not published is gone."""
        self.transactions.pop(session, None)
        for holders in self.locks.values():
            holders.pop(session, None)

    def savepoint(self, session, name):
        transaction = self.transaction(session)
        kept = [one for one in transaction.savepoints if one[0] != name]
        transaction.savepoints = kept + [(name, dict(transaction.own))]

    def rollback_to(self, session, name):
        """False: there is no such savepoint."""
        transaction = self.transaction(session)
        names = [one[0] for one in transaction.savepoints]
        if name not in names:
            return False
        at = names.index(name)
        transaction.own = dict(transaction.savepoints[at][1])
        transaction.savepoints = transaction.savepoints[:at + 1]
        return True

    # ---- locks ---------------------------------------------------------------------------------

    def blockers(self, session, ids, mode):
        return {holder for i in ids for holder, held in self.locks.get(i, {}).items()
                if holder != session and "X" in (mode, held)}

    def holds_all(self, session, ids):
        return all(self.locks.get(i, {}).get(session) == "X" for i in ids)

    def lock(self, session, ids, mode):
        if not self.transaction(session).is_open:
            return  # gone before anybody else could meet it
        for i in ids:
            holders = self.locks.setdefault(i, {})
            holders[session] = "X" if "X" in (mode, holders.get(session)) else "S"
