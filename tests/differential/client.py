"""The driver process, spoken to by lines of JSON."""
import json
import queue
import shutil
import subprocess
import tempfile
import threading

import jsonvalue as jv

# Longer than any statement takes; only a hang lasts so long.
PATIENCE_S = 120


class DriverDied(Exception):
    pass


class Hang(Exception):
    """A statement that should have been answered was not."""


class Driver:
    def __init__(self, program, lock_wait_ms=20_000):
        self.program = program
        self.lock_wait_ms = lock_wait_ms
        self.directory = tempfile.mkdtemp(prefix="wherestar-differential-")
        self.process = None
        self.start()

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [self.program, self.directory, str(self.lock_wait_ms)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors)
        self.replies = {}
        self.arrived = threading.Condition()
        self.is_gone = False
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()

    def read(self, process):
        for line in process.stdout:
            reply = jv.parse(line)
            name = reply["op"] if "op" in reply else reply["s"]
            with self.arrived:
                self.replies.setdefault(name, queue.SimpleQueue()).put(reply)
                self.arrived.notify_all()
        with self.arrived:
            self.is_gone = True
            self.arrived.notify_all()

    def send(self, session, sql):
        self.write({"s": session, "sql": sql})

    def write(self, request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise DriverDied(self.stderr_text()) from None

    def has_reply(self, name):
        return name in self.replies and not self.replies[name].empty()

    def receive(self, name, patience_s=PATIENCE_S):
        with self.arrived:
            self.arrived.wait_for(lambda: self.has_reply(name) or self.is_gone, patience_s)
            if self.has_reply(name):
                return self.replies[name].get()
        if self.is_gone:
            raise DriverDied(self.stderr_text())
        raise Hang(name)

    def receive_any(self, names):
        """(name, reply) of whichever comes first."""
        def ready():
            return next((name for name in names if self.has_reply(name)), None)

        with self.arrived:
            self.arrived.wait_for(lambda: ready() or self.is_gone, PATIENCE_S)
            name = ready()
            if name:
                return name, self.replies[name].get()
        raise (DriverDied(self.stderr_text()) if self.is_gone else Hang(", ".join(names)))

    def put_back(self, name, reply):
        self.replies[name].put(reply)

    def execute(self, sql, session="main"):
        self.send(session, sql)
        return self.receive(session)

    def must(self, sql, session="main"):
        reply = self.execute(sql, session)
        if "error" in reply:
            raise RuntimeError(f"{sql[:300]}: {reply['error']}")
        return reply

    def operate(self, operation, session=None):
        self.write({"op": operation, "s": session} if session else {"op": operation})
        return self.receive(operation)

    def kill(self):
        """As a crash: nothing is told."""
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def restart(self):
        self.kill()
        self.start()

    def stderr_text(self):
        self.process.wait()
        self.errors.seek(0)
        return self.errors.read()[-3000:].decode(errors="replace")

    def close(self):
        self.process.stdin.close()
        try:
            code = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Hang("the end of the input") from None
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)
        if code != 0:
            raise DriverDied(self.stderr_text())
