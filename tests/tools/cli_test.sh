#!/usr/bin/env bash
# Runs the real `wherestar` and `wherestard`: exit codes, round trips, bad input, a data directory
# in use, a server. Works in a directory of its own and ends the servers it starts.
#   cli_test.sh WHERESTAR WHERESTARD
set -uo pipefail
wherestar=$1
wherestard=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
server=
holder=
cleanup() {
  for child in $server $holder; do
    kill -TERM "$child" 2>/dev/null && wait "$child" 2>/dev/null
  done
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
unset WHERESTAR_URI WHERESTAR_FORMAT WHERESTAR_PASSWORD CLICOLOR_FORCE
passed=0
failed=0

verdict() {  # verdict NAME STATUS
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/  out: /' out 2>/dev/null | head -20
    sed 's/^/  err: /' err 2>/dev/null | head -20
  fi
}
# exits CODE NAME WORDS...: runs wherestar, keeps its output in `out` and `err`.
exits() {
  local code=$1 name=$2 status=0
  shift 2
  "$wherestar" "$@" >out 2>err </dev/null || status=$?
  [ "$status" = "$code" ] || echo "exit code $status, not $code" >>err
  verdict "$name" $((status != code))
}
says() { grep -qF -- "$2" "$1"; verdict "says in $1: $2" $?; }
same() { cmp "$1" "$2" >out 2>err; verdict "$3" $?; }

# --- usage ---------------------------------------------------------------------------------------
exits 0 "help" --help
says out "wherestar paths events.jsonl"
exits 0 "version" --version
exits 2 "no command"
exits 2 "unknown command" pathz x
says err "did you mean 'paths'?"
exits 2 "unknown format" paths x.jsonl --format xml
exits 2 "neither file nor collection" paths no_such_thing
exits 7 "missing file" paths ./none.jsonl
says err "none.jsonl"
exits 7 "a missing file without a slash" paths nosuch.jsonl
says err "nosuch.jsonl: no such file"
exits 2 "a command that is none" foo
says err "unknown command 'foo'"
says err "there are paths, shapes"

# --- plain files ---------------------------------------------------------------------------------
cat >shop.jsonl <<'DATA'
{"_id":"a1","title":"Beach","price":0.10,"tags":["Jippie","x"]}
{"_id":2,"title":"Jippie","big":18446744073709551615,"nested":{"year":1974}}
{"_id":"a3","title":"twice","title":"last","o":{"a.b":1,"*":2,"":3},"empty":[]}
{"_id":"a4",  "spaced" : [ 1 , 2.50 ,"1974"],"text":"\u00e9 ☺ \"quoted\"\n"}
DATA
exits 0 "paths of a file" paths shop.jsonl
says out "4 documents"
says out '"a.b"'
exits 7 "a file nearly called so" paths shopp.jsonl
says err "did you mean 'shop.jsonl'?"
exits 0 "shapes of a file" shapes shop.jsonl --format jsonl
exits 0 "schema of a file" schema shop.jsonl
exits 0 "JSON Schema of a file" schema shop.jsonl --json-schema
says out '$schema'
exits 0 "search a file" search Jippie shop.jsonl
says out 'shop:1  $.tags[0]  «Jippie»'
says out 'shop:2  $.title'
exits 0 "search a number" search 1974 shop.jsonl --format jsonl
says out '"place":"$.nested.year","value":1974'
exits 0 "search a string that looks like a number" search '"1974"' shop.jsonl
says out '$.spaced[2]'
exits 1 "search what is not there" search 2024 shop.jsonl
exits 1 "the string twin" search '"18446744073709551615"' shop.jsonl
says err "the number 18446744073709551615 occurs 1 times"
exits 0 "numbers keep all their digits" search 18446744073709551615 shop.jsonl --format csv
says out "18446744073709551615"
exits 2 "a number beyond doubles" search 1e400 shop.jsonl
says err "1e400: numbers beyond the range of doubles cannot be stored"
printf '{"a":"-5 apples","n":-5}\n' >apples.jsonl
exits 0 "a value that begins with - and a digit" search -- '-5 apples' apples.jsonl
exits 0 "and without --" search '-5 apples' apples.jsonl
exits 0 "a negative number" search -5 apples.jsonl
gzip -k shop.jsonl
{ head -c 70000000 /dev/zero | tr '\0' ' ' | sed 's/^/{"a":"/'; printf '\n{"b":1}\n'; } |
  gzip -1 >long.gz
exits 3 "an endless document in few packed bytes" paths long.gz
says err "the document is longer than the limit"
exits 0 "gzip is unpacked" search Jippie shop.jsonl.gz --count
says out "2"
"$wherestar" paths - --format jsonl <shop.jsonl >out 2>err
verdict "standard input" $?
printf '' >empty.jsonl
exits 0 "an empty file is no documents" paths empty.jsonl
says out "0 documents"
printf '{"a":"\033[2Jx\n' >bad.jsonl
exits 3 "bad documents have code 3" paths bad.jsonl
exits 0 "no colour in a pipe" paths shop.jsonl
grep -q $'\033' out; verdict "no escape in a pipe" $((! $?))
exits 0 "colour when asked for" paths shop.jsonl --color always
grep -q $'\033' out; verdict "escape when asked for" $?

# --- import and export on a data directory -------------------------------------------------------
exits 7 "a data directory that is not there" paths 'shop.*' -D data
exits 0 "import" import shop.products shop.jsonl -D data
says err "imported 4 documents into shop.products"
says err "created database shop and collection shop.products"
exits 0 "export" export shop.products -D data
cp out exported
sort shop.jsonl >want; sort exported >got
same want got "documents come back byte for byte"
exits 0 "export to a file" export shop.products -D data -o copy.jsonl.zst
[ "$(stat -c %a copy.jsonl.zst)" = 600 ]; verdict "that only its owner may read" $?
exits 7 "an existing file is kept" export shop.products -D data -o copy.jsonl.zst
says err "--force"
exits 0 "force" export shop.products -D data -o copy.jsonl.zst --force
exits 0 "import of what was exported" import copy.products copy.jsonl.zst -D data
exits 0 "export again" export copy.products -D data
sort out >got
same want got "a second round trip is the same"
exits 0 "export with a condition" export shop.products -D data --where "title = 'Beach'"
says out '"_id":"a1"'
[ "$(wc -l <out)" = 1 ]; verdict "one document" $?
exits 5 "unknown collection" export shop.prodcts -D data
says err "did you mean 'products'?"
exits 5 "unknown database" paths shopp.products -D data
exits 3 "a duplicate _id stops" import shop.products shop.jsonl -D data
says err "shop.jsonl:1:1"
exits 0 "nothing of it was added" sql -D data "SELECT COUNT(*) AS n FROM shop.products" --format csv
says out "4"
exits 2 "import into no collection" import shop shop.jsonl -D data

cat >mixed.jsonl <<'DATA'
{"n":1}
{"n":2, "b":[1,2,}
hello
{"n":3}
DATA
exits 3 "stop at the first bad line" import shop.stopped mixed.jsonl -D data
says err "mixed.jsonl:2:18"
says err "1 document was read before it"
exits 3 "skip bad lines" import shop.skipped mixed.jsonl -D data --on-error skip --bad bad.out
says err "2 bad documents skipped"
[ "$(wc -l <bad.out)" = 2 ]; verdict "bad lines are kept" $?
grep -q '"line":3' bad.out; verdict "with their line" $?
printf '{"a":"\377"}\n{"a":1}\n' >latin.jsonl
exits 3 "skip what is no UTF-8" import shop.latin latin.jsonl -D data --on-error skip --bad latin.out
python3 -c 'import json; [json.loads(line) for line in open("latin.out", "rb")]' >out 2>err
verdict "and the file of bad documents is JSON all the same" $?
exits 0 "good ones are in" sql -D data "SELECT COUNT(*) AS n FROM shop.skipped" --format csv
says out "2"
exits 0 "nothing from standard input" import shop.array - -D data
printf '[{"n":1},\n {"n":2}]' | "$wherestar" import shop.array - -D data >out 2>err
verdict "an array from standard input" $?
says err "imported 2 documents"
says_not() { grep -qF -- "$2" "$1"; verdict "does not say in $1: $2" $((! $?)); }
exits 3 "an import that stops says what is in" import shop.stopped2 mixed.jsonl -D data
says err "stopped: 1 document was added to shop.stopped2"
says_not err "imported"
exits 0 "dry run" import shop.never shop.jsonl --dry-run
says err "nothing written"

# --- files of other programs ---------------------------------------------------------------------
ours=$root/tests/tools/data
exits 3 "extended JSON is recognized" import mongo.plain "$ours/mongoexport_relaxed.json" -D data
says err 'this looks like MongoDB'"'"'s extended JSON ("_id": {"$oid": ...}): add --extended-json'
says err "stopped: no document was added to mongo.plain"
exits 0 "and nothing is left behind" sql -D data "SHOW DATABASES" --format csv
says_not out mongo
for kind in relaxed canonical; do
  exits 0 "extended JSON, $kind" import "mongo.$kind" "$ours/mongoexport_$kind.json" -D data \
    --extended-json
  says err "imported 2 documents"
done
exits 0 "its values are plain" export mongo.relaxed -D data --where "_id = '65b2c0de9f1b2c3d4e5f6a02'"
says out '"price":1E+2,"stock":9007199254740993,"added":"1969-07-20T20:17:40.000Z"'
says out '"$id":"65b2c0de9f1b2c3d4e5f6aff"},"weight":"NaN"'
exits 0 "canonical dates" search 2024-01-25T20:10:54.123Z mongo.canonical -D data
exits 0 "UUIDs" search 73ffd264-44b3-4c69-90e8-e7d1dfc035d4 mongo.canonical -D data
printf '{"_id":1,"o":{"$oid":5}}\n' >wrapper.jsonl
exits 3 "a wrong wrapper" import mongo.wrong wrapper.jsonl -D data --extended-json
says err 'wrapper.jsonl:1:22: "$oid": expected 24 hexadecimal digits in quotes, found 5'
for name in jq_compact.jsonl jq_pretty.json; do
  exits 0 "jq: $name" import "jq.${name%.*}" "$ours/$name" -D data --id sku
  exits 0 "with its _id" export "jq.${name%.*}" -D data --where "_id = 'a-2'"
  grep -q '1E+2' out; verdict "and its numbers" $?
done
exits 3 "an _id that is not there" import jq.none "$ours/jq_compact.jsonl" -D data --id '$.key'
says err "jq_compact.jsonl:1:1: no \$.key to be the _id"
exits 2 "an --id that is no place" import jq.none "$ours/jq_compact.jsonl" -D data --id '$.a[*]'
exits 0 "MySQL Shell's documents" import mysql.shell "$ours/mysqlsh_dump.json" -D data
says err "imported 2 documents"
for name in newline array; do
  exits 0 "DuckDB, $name" import "duckdb.$name" "$ours/duckdb_$name.json" -D data --id id
  says err "imported 2 documents"
done

exits 0 "Elasticsearch's bulk format is recognized" import elastic.lines \
  "$ours/elasticsearch_bulk.ndjson" --dry-run
says err "add --elasticsearch-bulk"
exits 0 "Elasticsearch's bulk format" import elastic.products "$ours/elasticsearch_bulk.ndjson" \
  -D data --elasticsearch-bulk
says err "imported 3 documents"
exits 0 "with its _id" export elastic.products -D data --where "_id = 'a2'"
says out '"title":"Parasol","price":100.0'

# --- one line a document -------------------------------------------------------------------------
exits 0 "pretty documents" import pretty.x "$ours/jq_pretty.json" -D data --id sku
exits 0 "come back as they were" export pretty.x -D data
says out '  "price": 0.10,'
exits 0 "or each on one line" export pretty.x -D data --jsonl
says out '{"_id":"a-1","sku":"a-1","price":0.10,"name":"Strandtuch ☺"}'
for name in one.jsonl one.ndjson.gz one.jsonl.zst; do
  exits 0 "a file called $name" export pretty.x -D data -o "$name"
  "$wherestar" search Strandtuch "$name" --prefix --format jsonl >out 2>err
  says out '"place":"$.name","value":"Strandtuch ☺","doc":{"_id":"a-1","sku":"a-1","price":0.10,'
done
[ "$(wc -l <one.jsonl)" = 2 ]; verdict "has a line a document" $?
exits 0 "sql as JSON Lines" sql -D data --format jsonl "SELECT doc FROM pretty.x"
[ "$(wc -l <out)" = 2 ]; verdict "has a line a row" $?
exits 0 "search as CSV" search a-1 pretty.x -D data --format csv --path '$.sku'
says out 'pretty.x,a-1,$.sku,a-1,'

# --- search, sql, views --------------------------------------------------------------------------
exits 0 "search everything" search Jippie -D data
says out '$.tags[0]'
says err "documents"
exits 1 "nothing found" search Nowhere -D data
exits 0 "count" search Jippie 'shop.*' -D data --count
says out "2"
exits 0 "by path" search Jippie shop.products -D data --by-path --format csv
says out '$.tags[*],1'
exits 0 "prefix" search Jip shop.products -D data --prefix
exits 0 "path" search Jippie shop.products -D data --path '$.title' --format jsonl
[ "$(wc -l <out)" = 1 ]; verdict "only that path" $?
exits 1 "number twin" search '"18446744073709551615"' -D data
says err "hint: the number 18446744073709551615"
exits 0 "sql as json" sql -D data --format json \
  "SELECT big FROM shop.products WHERE \`_id\` = 2"
says out "18446744073709551615"
exits 5 "wrong SQL" sql -D data "SELECT * form shop.products"
says err "^"
printf 'SELECT 1 AS one;\nSELECT 2 AS two;' | "$wherestar" sql -D data --format csv >out 2>err
verdict "statements from standard input" $?
says out "two"
exits 5 "stops at the first error" sql -D data "SELECT 1 AS one; nonsense; SELECT 3 AS three" --format csv
grep -q three out; verdict "and does not go on" $((! $?))
exits 0 "paths of a collection" paths shop.products -D data
says out "4 documents"
exits 0 "all collections" paths 'shop.*' -D data --format jsonl
exits 0 "shapes of a collection" shapes shop.products -D data
exits 0 "schema of a collection" schema shop.products -D data --json-schema
exits 0 "verify" verify -D data
says out "all sound"
exits 0 "reindex" reindex -D data
exits 0 "verify after reindex" verify -D data
exits 2 "verify needs a directory" verify

# --- a recount -----------------------------------------------------------------------------------
python3 "$root/examples/make_documents.py" orders 500 >orders.jsonl
recount() {  # recount NAME EXPORT: paths.json and shapes.json are there
  node "$root/tests/recount/recount.mjs" "$2" paths.json shapes.json >out 2>err
  verdict "$1" $?
}
if command -v node >/dev/null; then
  "$wherestar" paths orders.jsonl --format json >paths.json
  "$wherestar" shapes orders.jsonl --format json >shapes.json
  recount "a file's summary equals a recount" orders.jsonl
  exits 0 "import orders" import shop.orders orders.jsonl -D data
  exits 0 "remove some" sql -D data 'DELETE FROM shop.orders WHERE gift = true'
  for collection in orders products; do
    "$wherestar" export "shop.$collection" -D data >recounted.jsonl 2>err
    for view in paths shapes; do
      "$wherestar" sql -D data --format json "SELECT * FROM information_schema.collection_$view \
        WHERE schema_name = 'shop' AND collection_name = '$collection'" >$view.json 2>err
    done
    recount "statistics of $collection equal a recount" recounted.jsonl
  done
  sed -i 's/"documents":/"documents":1/' paths.json
  node "$root/tests/recount/recount.mjs" recounted.jsonl paths.json shapes.json >out 2>err
  verdict "a recount notices a wrong count" $(($? != 1))
else
  echo "skipped: no node for the recount"
fi

# --- a directory in use --------------------------------------------------------------------------
mkfifo statements answers
"$wherestar" sql -D data --format csv <statements >answers 2>holder.err &
holder=$!
exec 3>statements 4<answers
echo 'SELECT 7 AS open;' >&3
IFS= read -r -u 4 line && [ "$line" = open ]; verdict "the directory is open elsewhere" $?
exits 4 "a directory in use" paths shop.products -D data
says err "hint:"
exec 3>&- 4<&-
wait "$holder"
holder=

# --- a server ------------------------------------------------------------------------------------
exits 4 "nobody listens" --uri mysqlx://nobody@127.0.0.1:1 paths a.b
mkfifo ready
"$wherestard" --data served --port 0 >ready 2>server.err &
server=$!
if read -r _ uri <ready; then
  export WHERESTAR_URI=${uri/mysqlx:\/\//mysqlx://root@}
  exits 0 "import over the wire" import shop.products shop.jsonl
  exits 0 "export over the wire" export shop.products
  sort out >got
  same want got "documents come back byte for byte over the wire"
  exits 0 "search over the wire" search Jippie
  says out '$.tags[0]'
  exits 0 "numbers over the wire" sql --format json "SELECT big FROM shop.products WHERE \`_id\` = 2"
  says out "18446744073709551615"
  exits 0 "paths over the wire" paths shop.products --format jsonl
  cp out wire
  "$wherestar" paths shop.products -D data --format jsonl >local 2>err
  same wire local "paths are the same here and there"
  exits 5 "unknown collection over the wire" export shop.prodcts
  says err "did you mean 'products'?"
  exits 3 "a duplicate over the wire" import shop.products shop.jsonl
  exits 5 "wrong SQL over the wire" sql "SELECT * form shop.products"
  exits 4 "an unknown user" --uri "${uri/mysqlx:\/\//mysqlx://nobody@}" sql "SELECT 1"
  exits 4 "the directory of a running server" paths shop.products -D served
  unset WHERESTAR_URI
else
  cp server.err err
  verdict "the server starts" 1
fi
kill -TERM "$server" && wait "$server"
verdict "the server ends cleanly" $?
server=

# --- the JSON test suite -------------------------------------------------------------------------
suite=${WHERESTAR_SHARED_DATA:-}/json-test-suite
if [ -n "${WHERESTAR_SHARED_DATA:-}" ] && [ -d "$suite" ]; then
  wrong=0
  judge() {  # judge FILE: y must be read (or refused as no object), n refused, with a place
    local file=$1 status=0
    "$wherestar" import suite.x "$file" --dry-run >out 2>err </dev/null || status=$?
    case $(basename "$file") in
      y_*) [ "$status" = 0 ] || { [ "$status" = 3 ] && grep -q object err; } ;;
      n_*) { [ "$status" = 3 ] && grep -qF "$file:" err; } ||
        { [ "$status" = 0 ] && grep -q '^0 documents' err &&
          [ -z "$(tr -d ' \t\r\n\357\273\277' <"$file" | tr -d '\0')" ]; } ;;
      *) [ "$status" = 0 ] || [ "$status" = 3 ] ;;
    esac || { wrong=$((wrong + 1)); echo "json test suite: $(basename "$file"): code $status"; }
  }
  while IFS= read -r file; do judge "$file"; done < <(find "$suite" -name '[yni]_*' -type f | sort)
  verdict "the JSON test suite" "$wrong"
  find "$suite" -name 'y_*' -type f -print0 | sort -z |
    xargs -0 "$wherestar" import suite.y --on-error skip -D data >out 2>err
  [ $? = 3 ] || [ $? = 123 ]; verdict "the suite's good documents go in" $?
  exits 0 "and the store is sound" verify -D data
else
  echo "skipped: the JSON test suite (WHERESTAR_SHARED_DATA is not set)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
