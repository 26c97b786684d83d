// Kills wherestard with SIGKILL while a real client imports, starts it again, and checks that every
// acknowledged document is there, that every statistic equals a recount from an export by a program
// that shares no code with the server, and that `wherestar verify` finds nothing.
//
// usage: node kill.mjs LOOPS PRODUCTS   (WHERESTAR_BIN: folder of the programs)
import { spawn, spawnSync, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(import.meta.url);
const mysqlx = require('@mysql/xdevapi');
const events = require('@octokit/webhooks-examples/api.github.com/index.json');

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const root = path.resolve(here, '../..');
const bin = process.env.WHERESTAR_BIN ?? path.join(root, 'build/release/bin');
const loops = Number(process.argv[2] ?? 3);
const productCount = Number(process.argv[3] ?? 50000);
const work = mkdtempSync(path.join(os.tmpdir(), 'wherestar-kill-'));
const data = path.join(work, 'data');
let server = null;
let passed = 0;
let failed = 0;

function check(title, ok, detail = '') {
  if (ok) passed += 1;
  else failed += 1;
  if (!ok) console.log(`FAILED ${title} ${detail}`);
}

async function start() {
  server = spawn(path.join(bin, 'wherestard'), ['--data', data, '--port', '0'],
                 { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  server.stderr.on('data', (chunk) => { log = (log + chunk).slice(-20000); });
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, 'exit').then(() => { throw new Error(`server ended early: ${log}`); });
  ended.catch(() => {});
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return line.replace('ready ', '').replace('mysqlx://', 'mysqlx://root@');
}

async function stop(signal) {
  const ended = once(server, 'exit');
  server.kill(signal);
  const [code, by] = await ended;
  server = null;
  return { code, by };
}

function wherestar(uri, ...args) {
  return execFileSync(path.join(bin, 'wherestar'), [...args, '--uri', uri],
                      { maxBuffer: 1 << 30, encoding: 'utf8' });
}

// Adds, replaces and removes documents until the connection dies; returns what was acknowledged.
async function workload(uri, round, state, killAfter) {
  const session = await mysqlx.getSession(uri);
  const collection = session.getSchema('shop').getCollection('work');
  let operations = 0;
  let doomed = null;
  try {
    for (;;) {
      operations += 1;
      if (operations === killAfter) doomed = stop('SIGKILL');
      const number = operations % 4;
      if (number === 3 && state.size > 40) {
        const id = [...state.keys()][operations % state.size];
        state.set(id, { ...state.get(id), unsure: true });
        await collection.removeOne(id);
        state.delete(id);
      } else if (number === 2 && state.size > 40) {
        const id = [...state.keys()][(operations * 7) % state.size];
        const before = state.get(id);
        state.set(id, { ...before, unsure: true, next: operations });
        await collection.modify('_id = :id').bind('id', id).set('changed', operations).execute();
        state.set(id, { changed: operations });
      } else {
        const documents = [];
        for (let i = 0; i < 20; ++i) {
          documents.push({ _id: `r${round}-${operations}-${i}`, changed: 0, round,
                           tags: ['kill', `t${i}`], value: operations * 1.5 });
        }
        await collection.add(documents).execute();
        for (const { _id } of documents) state.set(_id, { changed: 0 });
      }
    }
  } catch (error) {
    if (!doomed) throw error;
  }
  await doomed;
}

async function compare(uri, state, round) {
  const file = path.join(work, `work-${round}.jsonl`);
  wherestar(uri, 'export', 'shop.work', '-o', file);
  const found = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const document = JSON.parse(line);
    found.set(document._id, document);
  }
  let lost = 0;
  for (const [id, { changed, unsure, next }] of state) {
    const document = found.get(id);
    if (!document) {
      if (!unsure) lost += 1;
      state.delete(id);
    } else if (document.changed !== changed && !(unsure && document.changed === next)) {
      lost += 1;
    } else {
      state.set(id, { changed: document.changed });
    }
  }
  for (const [id, document] of found) if (!state.has(id)) state.set(id, { changed: document.changed });
  check(`round ${round}: every acknowledged change is there`, lost === 0, `${lost} lost`);
  rmSync(file);
}

function recount(uri, collection) {
  const file = path.join(work, `export-${collection}.jsonl`);
  wherestar(uri, 'export', `shop.${collection}`, '-o', file);
  const views = ['collection_paths', 'collection_shapes'].map((view) => {
    const rows = path.join(work, `${view}.json`);
    writeFileSync(rows, wherestar(uri, 'sql', '--format', 'json', '--limit', '0',
      `SELECT * FROM information_schema.${view} WHERE schema_name = 'shop' ` +
      `AND collection_name = '${collection}'`));
    return rows;
  });
  const done = spawnSync(process.execPath,
    [path.join(root, 'tests/recount/recount.mjs'), file, ...views],
    { encoding: 'utf8', maxBuffer: 1 << 28 });
  check(`statistics of ${collection} equal a recount`, done.status === 0,
        (done.stdout + done.stderr).slice(-2000));
  for (const name of [file, ...views]) rmSync(name);
}

async function main() {
  const products = path.join(work, 'products.jsonl');
  writeFileSync(products, execFileSync('python3',
    [path.join(root, 'examples/make_documents.py'), 'products', String(productCount)],
    { maxBuffer: 1 << 30 }));
  const webhooks = path.join(work, 'webhooks.jsonl');
  writeFileSync(webhooks, events.flatMap((event) => event.examples)
    .map((example) => `${JSON.stringify(example)}\n`).join(''));

  let uri = await start();
  wherestar(uri, 'import', 'shop.products', products);
  wherestar(uri, 'import', 'shop.webhooks', webhooks);
  wherestar(uri, 'sql', 'CREATE COLLECTION shop.work');
  const state = new Map();
  for (let round = 0; round < loops; ++round) {
    await workload(uri, round, state, 20 + (round * 37) % 150);
    uri = await start();
    await compare(uri, state, round);
    if (round % 10 === 0 || round === loops - 1) recount(uri, 'work');
  }
  recount(uri, 'products');
  recount(uri, 'webhooks');
  const { code } = await stop('SIGTERM');
  check('SIGTERM ends the server cleanly', code === 0, `exit code ${code}`);
  const verify = spawnSync(path.join(bin, 'wherestar'), ['verify', '--data', data], { encoding: 'utf8' });
  check('verify finds nothing', verify.status === 0, verify.stdout + verify.stderr);
}

try {
  await main();
} catch (error) {
  failed += 1;
  console.log(error);
} finally {
  if (server) await stop('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
