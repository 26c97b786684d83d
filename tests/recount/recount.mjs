// Recounts the statistics of a collection from an export of its documents, and compares.
//
//   wherestar export shop.products > export.jsonl
//   wherestar sql "SELECT * FROM information_schema.collection_paths WHERE schema_name = 'shop'
//     AND collection_name = 'products'" --format json > paths.json
//   wherestar sql "SELECT * FROM information_schema.collection_shapes WHERE ..." --format json \
//     > shapes.json
//   node tests/recount/recount.mjs export.jsonl paths.json shapes.json
//
// It shares no code with the server: an own reader of JSON that knows where each value begins and
// ends. Compared are, per path, documents, values, values by type, bytes, extremes of string and
// array lengths; and every shape with its count. Lengths of 256 and more are kept by the server in
// buckets 12 % wide and compared so. Exit code 0: equal; 1: they differ, each difference a line;
// 2: wrong usage or unreadable input.
import { readFileSync } from 'node:fs';

const TYPES = ['null', 'boolean', 'integer', 'double', 'string', 'object', 'array'];
const COLUMNS = ['nulls', 'booleans', 'integers', 'doubles', 'strings', 'objects', 'arrays'];
const EXACT_LENGTH = 256;
const BUCKET = 1.13;

// ---- reading documents ------------------------------------------------------------------------
// The text is read as Latin-1: one character is one byte, so that spans are counted in bytes.

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.text = bytes.latin1Slice();
    this.at = 0;
  }

  fail(what) {
    const before = this.text.slice(0, this.at);
    const line = before.split('\n').length;
    throw new Error(`line ${line}, byte ${this.at - before.lastIndexOf('\n')}: ${what}`);
  }

  skipBlanks() {
    while (this.at < this.text.length && ' \t\r\n'.includes(this.text[this.at])) this.at++;
  }

  // The next document, or null at the end.
  next() {
    this.skipBlanks();
    if (this.at === this.text.length) return null;
    return this.value();
  }

  value() {
    const begin = this.at;
    const first = this.text[begin];
    let node;
    if (first === '{') node = this.object();
    else if (first === '[') node = this.array();
    else if (first === '"') node = this.string();
    else node = this.word();
    node.bytes = this.at - begin;
    return node;
  }

  object() {
    const members = new Map(); // the last of a name wins
    this.at++;
    this.skipBlanks();
    while (this.text[this.at] !== '}') {
      if (this.text[this.at] !== '"') this.fail('expected a member name');
      const begin = this.at;
      this.string();
      const name = JSON.parse(this.bytes.utf8Slice(begin, this.at));
      this.skipBlanks();
      if (this.text[this.at++] !== ':') this.fail("expected ':'");
      this.skipBlanks();
      members.set(name, this.value());
      this.skipBlanks();
      if (this.text[this.at] === ',') {
        this.at++;
        this.skipBlanks();
      } else if (this.text[this.at] !== '}') this.fail("expected ',' or '}'");
    }
    this.at++;
    return { type: 'object', members };
  }

  array() {
    const elements = [];
    this.at++;
    this.skipBlanks();
    while (this.text[this.at] !== ']') {
      elements.push(this.value());
      this.skipBlanks();
      if (this.text[this.at] === ',') {
        this.at++;
        this.skipBlanks();
      } else if (this.text[this.at] !== ']') this.fail("expected ',' or ']'");
    }
    this.at++;
    return { type: 'array', elements, length: elements.length };
  }

  // Counts characters: every byte that does not continue one, an escape as one, a pair of
  // surrogate escapes as one.
  string() {
    let length = 0;
    for (this.at++; this.text[this.at] !== '"'; this.at++) {
      if (this.at >= this.text.length) this.fail('a string without end');
      const code = this.text.charCodeAt(this.at);
      if (code === 0x5c) {
        this.at++;
        if (this.text[this.at] === 'u') {
          const unit = parseInt(this.text.substr(this.at + 1, 4), 16);
          this.at += 4;
          if (unit >= 0xdc00 && unit <= 0xdfff) continue;
        }
        length++;
      } else if ((code & 0xc0) !== 0x80) length++;
    }
    this.at++;
    return { type: 'string', length };
  }

  word() {
    const begin = this.at;
    while (this.at < this.text.length && !' \t\r\n,]}'.includes(this.text[this.at])) this.at++;
    const word = this.text.slice(begin, this.at);
    if (word === 'null') return { type: 'null' };
    if (word === 'true' || word === 'false') return { type: 'boolean' };
    if (!/^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(word)) {
      this.fail(`expected a value, found '${word.slice(0, 20)}'`);
    }
    return { type: /[.eE]/.test(word) ? 'double' : 'integer' };
  }
}

// ---- paths ------------------------------------------------------------------------------------
// A path is compared by its legs, not by its spelling: ".name" is {m: name}, [*] and .* are marks.

const ELEMENT = '[*]';
const ANY_MEMBER = '.*';
const member = (name) => 'm' + JSON.stringify(name);

function legsOf(text) {
  const legs = [];
  let rest = text.slice(1);
  while (rest !== '') {
    let match;
    if (rest.startsWith(ELEMENT)) {
      legs.push(ELEMENT);
      rest = rest.slice(3);
    } else if (rest.startsWith(ANY_MEMBER)) {
      legs.push(ANY_MEMBER);
      rest = rest.slice(2);
    } else if ((match = /^\.("(?:[^"\\]|\\.)*")/.exec(rest))) {
      legs.push(member(JSON.parse(match[1])));
      rest = rest.slice(match[0].length);
    } else if ((match = /^\.([^.["]+)/.exec(rest))) {
      legs.push(member(match[1]));
      rest = rest.slice(match[0].length);
    } else throw new Error(`path ${text} cannot be read`);
  }
  return legs;
}

const keyOf = (legs) => legs.join('/');

// Bare names are letters, digits, _ and $, anything above U+007F, not beginning with a digit: what
// the server must have quoted and what not.
function spellingIsCanonical(text) {
  const names = text.match(/\.("(?:[^"\\]|\\.)*"|[^.["*]+)/g) ?? [];
  return names.every((part) => {
    const quoted = part[1] === '"';
    const name = quoted ? JSON.parse(part.slice(1)) : part.slice(1);
    return quoted !== /^[A-Za-z_$\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*$/u.test(name);
  });
}

// ---- counting ---------------------------------------------------------------------------------

class Count {
  constructor() {
    this.documents = 0;
    this.values = 0;
    this.types = new Array(TYPES.length).fill(0);
    this.bytes = 0;
    this.string = null; // [least, greatest]
    this.array = null;
    this.lastDocument = -1;
  }
}

function widened(range, length) {
  return range ? [Math.min(range[0], length), Math.max(range[1], length)] : [length, length];
}

function recount(bytes, folded) {
  const counts = new Map();
  const shapes = new Map();
  const reader = new Reader(bytes);
  let documents = 0;

  const visit = (node, key, shape) => {
    let count = counts.get(key);
    if (!count) counts.set(key, (count = new Count()));
    if (count.lastDocument !== documents) {
      count.lastDocument = documents;
      count.documents++;
    }
    count.values++;
    count.types[TYPES.indexOf(node.type)]++;
    count.bytes += node.bytes;
    shape.add(key + ' ' + node.type);
    const below = (leg) => (key === '' ? leg : key + '/' + leg);
    if (node.type === 'string') count.string = widened(count.string, node.length);
    if (node.type === 'array') {
      count.array = widened(count.array, node.length);
      for (const element of node.elements) visit(element, below(ELEMENT), shape);
    }
    if (node.type === 'object') {
      for (const [name, value] of node.members) {
        const own = below(member(name));
        const any = below(ANY_MEMBER);
        visit(value, folded.has(any) && !folded.has(own) ? any : own, shape);
      }
    }
  };

  for (let node; (node = reader.next()) !== null; documents++) {
    if (node.type !== 'object') reader.fail('a document is no object');
    const shape = new Set();
    visit(node, '', shape);
    const id = [...shape].sort().join('\n');
    shapes.set(id, (shapes.get(id) ?? 0) + 1);
  }
  return { counts, shapes, documents };
}

// ---- comparing --------------------------------------------------------------------------------

const differences = [];
function differs(where, what, recounted, told) {
  differences.push(`${where}: ${what}: recounted ${recounted}, told ${told}`);
}

function compareLength(where, what, recounted, told) {
  if (recounted === null || told === null || told === undefined) {
    if ((recounted ?? null) !== (told ?? null)) differs(where, what, recounted, told);
    return;
  }
  const exact = recounted < EXACT_LENGTH;
  const near = told <= recounted * BUCKET + 1 && told * BUCKET + 1 >= recounted;
  if (exact ? recounted !== told : !near) differs(where, what, recounted, told);
}

function comparePaths(counts, rows) {
  const told = new Set();
  for (const row of rows) {
    const where = row.path;
    if (!spellingIsCanonical(row.path)) differences.push(`${where}: not the canonical spelling`);
    const key = keyOf(legsOf(row.path));
    if (told.has(key)) differences.push(`${where}: told twice`);
    told.add(key);
    const count = counts.get(key);
    if (!count) {
      if (row.documents !== 0) differs(where, 'documents', 0, row.documents);
      continue;
    }
    if (count.documents !== row.documents) differs(where, 'documents', count.documents, row.documents);
    if (count.values !== row.value_count) differs(where, 'value_count', count.values, row.value_count);
    COLUMNS.forEach((column, i) => {
      if (count.types[i] !== row[column]) differs(where, column, count.types[i], row[column]);
    });
    if (count.bytes !== row.total_bytes) differs(where, 'total_bytes', count.bytes, row.total_bytes);
    compareLength(where, 'min_string_length', count.string?.[0] ?? null, row.min_string_length);
    compareLength(where, 'max_string_length', count.string?.[1] ?? null, row.max_string_length);
    compareLength(where, 'min_array_length', count.array?.[0] ?? null, row.min_array_length);
    compareLength(where, 'max_array_length', count.array?.[1] ?? null, row.max_array_length);
  }
  for (const [key, count] of counts) {
    if (!told.has(key)) differs(`path ${key || '$'}`, 'documents', count.documents, 'nothing');
  }
}

// A shape's members come as [{"path": p, "type": t}], {"p": "type" or [types]} or ["p:type"].
function shapeMembers(paths) {
  const parsed = typeof paths === 'string' ? JSON.parse(paths) : paths;
  if (!Array.isArray(parsed)) {
    return Object.entries(parsed).flatMap(([path, types]) => [types].flat().map((t) => [path, t]));
  }
  return parsed.flatMap((entry) => {
    if (typeof entry !== 'string') return [entry.type].flat().map((t) => [entry.path, t]);
    const colon = entry.lastIndexOf(':');
    return [[entry.slice(0, colon), entry.slice(colon + 1)]];
  });
}

function compareShapes(shapes, rows) {
  const told = new Set();
  let counted = 0;
  for (const row of rows) {
    const members = shapeMembers(row.paths ?? []);
    if (members.length === 0) continue; // those beyond the limit, counted together
    const id = members.map(([path, type]) => keyOf(legsOf(path)) + ' ' + type).sort().join('\n');
    const where = `shape ${row.shape_id}`;
    if (told.has(id)) differences.push(`${where}: told twice`);
    told.add(id);
    counted += row.documents;
    if ((shapes.get(id) ?? 0) !== row.documents) {
      differs(where, 'documents', shapes.get(id) ?? 0, row.documents);
    }
  }
  const others = rows.filter((row) => shapeMembers(row.paths ?? []).length === 0);
  if (others.length > 0) return;
  for (const [id, count] of shapes) {
    if (!told.has(id)) differs(`shape {${id.replaceAll('\n', ', ')}}`, 'documents', count, 'nothing');
  }
}

function main() {
  const [exported, paths, shapes] = process.argv.slice(2);
  if (!exported || !paths) {
    console.error('usage: recount.mjs EXPORT PATHS.json [SHAPES.json]');
    return 2;
  }
  let rows, shapeRows, found;
  try {
    rows = JSON.parse(readFileSync(paths, 'utf8'));
    shapeRows = shapes ? JSON.parse(readFileSync(shapes, 'utf8')) : null;
    const folded = new Set(rows.map((row) => keyOf(legsOf(row.path))));
    found = recount(readFileSync(exported), folded);
  } catch (error) {
    console.error(`error: ${error.message}`);
    return 2;
  }
  comparePaths(found.counts, rows);
  if (shapeRows) compareShapes(found.shapes, shapeRows);
  for (const line of differences.slice(0, 50)) console.log(line);
  if (differences.length > 50) console.log(`... ${differences.length - 50} more`);
  console.log(
    `recounted ${found.documents} documents, ${found.counts.size} paths, ${found.shapes.size} ` +
      `shapes: ${differences.length === 0 ? 'equal' : `${differences.length} differences`}`);
  return differences.length === 0 ? 0 : 1;
}

process.exitCode = main();
