#!/usr/bin/python3
"""PostgreSQL for bench/run: a private cluster on a socket in the given folder, stopped at the end.

usage: postgres_peer.py ingest|search EMPTY_FOLDER DOCUMENTS.jsonl
Prints one {"name", "value"} object a line, with the names that our benchmarks print.
"""
import glob
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import psycopg2
from psycopg2.extras import execute_values


def report(name, value):
    print(json.dumps({"name": name, "value": value}), flush=True)


class Cluster:
    """Runs as the user postgres, since initdb refuses root."""

    def __init__(self, folder):
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        shutil.chown(self.folder, "postgres", "postgres")
        # Every folder above must be passable for that user.
        for parent in self.folder.parents:
            if parent != parent.parent:
                parent.chmod(parent.stat().st_mode | 0o011)
        self.as_postgres("initdb", "-D", self.data, "--no-sync", "-A", "trust", "--locale=C",
                         "-E", "UTF8")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                       "shared_buffers = '512MB'\nmax_wal_size = '4GB'\n"
                       "maintenance_work_mem = '256MB'\nwork_mem = '64MB'\n")
        self.as_postgres("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "start")

    def as_postgres(self, program, *arguments):
        command = " ".join([os.path.join(self.bin, program), *map(str, arguments)])
        subprocess.run(["su", "postgres", "-c", command], check=True, stdout=subprocess.DEVNULL)

    def connect(self):
        connection = psycopg2.connect(host=str(self.folder), user="postgres", dbname="postgres")
        connection.autocommit = True
        return connection

    def stop(self):
        self.as_postgres("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")


def load(cursor, lines, in_place):
    cursor.execute("CREATE TABLE products (id bigserial PRIMARY KEY, doc jsonb NOT NULL)")
    if in_place:
        cursor.execute("CREATE INDEX products_gin ON products USING gin (doc jsonb_ops)")
    begin = time.monotonic()
    for at in range(0, len(lines), 1000):
        execute_values(cursor, "INSERT INTO products (doc) VALUES %s",
                       [(line,) for line in lines[at:at + 1000]], page_size=1000)
    return time.monotonic() - begin


def ingest(cluster, lines):
    cursor = cluster.connect().cursor()
    seconds = load(cursor, lines, True)
    report("insert_docs_per_s", len(lines) / seconds)
    cursor.execute("CHECKPOINT")
    cursor.execute("SELECT pg_total_relation_size('products')")
    report("disk_vs_raw", cursor.fetchone()[0] / sum(len(line) + 1 for line in lines))
    count = len(lines) // 4
    begin = time.monotonic()
    for at in range(0, count, 1000):
        cursor.execute("UPDATE products SET doc = jsonb_set(doc, '{size}', '\"changed\"')"
                       " WHERE id = ANY(%s)",
                       ([4 * i + 1 for i in range(at, min(at + 1000, count))],))
    report("update_docs_per_s", count / (time.monotonic() - begin))
    begin = time.monotonic()
    for at in range(0, count, 1000):
        cursor.execute("DELETE FROM products WHERE id = ANY(%s)",
                       ([4 * i + 2 for i in range(at, min(at + 1000, count))],))
    report("delete_docs_per_s", count / (time.monotonic() - begin))


def search(cluster, lines):
    cursor = cluster.connect().cursor()
    load(cursor, lines, False)
    cursor.execute("CREATE INDEX products_gin ON products USING gin (doc jsonb_ops)")
    cursor.execute("VACUUM ANALYZE products")
    queries = {
        "any_equal_few": "doc @@ '$.** == \"Jippie\"'",
        "any_equal_many": "doc @@ '$.** == \"outdoor\"'",
        "any_number": "doc @@ '$.** == 1974'",
        "any_between": "doc @? '$.** ? (@ > 1973.5 && @ < 1974.5)'",
    }
    for name, where in queries.items():
        times = []
        for _ in range(5):
            begin = time.monotonic()
            cursor.execute(f"SELECT id, doc::text FROM products WHERE {where}")
            rows = cursor.fetchall()
            times.append((time.monotonic() - begin) * 1e3)
        report(f"{name}_ms", statistics.median(times))
        report(f"{name}_hits", len(rows))


def main():
    job, folder, file = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        lines = source.read().splitlines()
    cluster = Cluster(folder)
    try:
        {"ingest": ingest, "search": search}[job](cluster, lines)
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
