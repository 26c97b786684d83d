#!/usr/bin/env bash
# A tour of the command line on a data directory of its own, without a server. Leaves nothing.
#   examples/tour.sh [DIRECTORY OF THE PROGRAMS]     (default: build/release/bin)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${1:-$root/build/release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

step() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
ask() {
  printf '$ wherestar'
  printf ' %q' "$@"
  printf '\n'
  "$bin/wherestar" "$@" || [ $? = 1 ]  # 1: nothing found, which is an answer
}

step "Three files of JSON documents. Nobody said what is in them."
for name in products orders reviews; do
  python3 "$root/examples/make_documents.py" "$name" 1000 >"$name.jsonl"
done
ask paths products.jsonl
ask shapes reviews.jsonl --limit 4
ask search Jippie products.jsonl orders.jsonl reviews.jsonl

step "Into a store: database, collections and every index are made as needed."
for name in products orders reviews; do
  ask import "shop.$name" "$name.jsonl" -D data
done

step "Which documents, in any collection, hold a value at any path?"
ask search Jippie -D data
ask sql -D data "SELECT collection, path, COUNT(*) AS matches FROM *
  WHERE * = 'Jippie' GROUP BY collection, path"
ask search 1974 'shop.*' -D data --by-path
ask sql -D data "SELECT collection, place, value FROM shop.* WHERE * LIKE 'Jip%' LIMIT 5"

step "Types are respected: the string 1974 is not the number."
ask search '"1974"' -D data

step "Changes: the index and the counts are part of them."
ask sql -D data "UPDATE shop.products SET material = 'felt' WHERE material = 'wool'"
ask sql -D data "DELETE FROM shop.reviews WHERE stars < 3"
ask sql -D data "SELECT collection, path, COUNT(*) AS matches FROM *
  WHERE * IN ('felt', 'wool') GROUP BY collection, path"

step "What the documents look like now, exact after every change."
ask paths shop.reviews -D data
ask shapes shop.reviews -D data --limit 4
ask schema shop.products -D data

step "Documents come back as they were given, and everything in the store agrees."
ask export shop.products -D data --where "title = 'Jippie'" --limit 1
ask verify -D data
