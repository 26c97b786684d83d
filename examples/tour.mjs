// A tour of Wherestar with the unmodified client @mysql/xdevapi: some 300 webhook payloads, whose
// structure nobody declared, beside a few products.
//
//   (cd examples && npm install)
//   build/release/bin/wherestard --data /tmp/tour --port 33060 &
//   node examples/tour.mjs [mysqlx://root@127.0.0.1:33060]
//
// Works in the schema `tour`, which it drops before and after.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const mysqlx = require('@mysql/xdevapi');
const events = require('@octokit/webhooks-examples/api.github.com/index.json');

const uri = process.argv[2] ?? 'mysqlx://root@127.0.0.1:33060';

function print(row) {
  const text = JSON.stringify(row);
  console.log('  ' + (text.length > 110 ? `${text.slice(0, 109)}…` : text));
}

function step(title) {
  console.log(`\n# ${title}`);
}

async function show(title, statement) {
  step(title);
  const result = await statement.execute();
  const rows = result.fetchAll();
  if (rows.length === 0) console.log('  (nothing)');
  for (const row of rows) print(row);
}

async function tour(session) {
  step('A schema and two collections. There is nothing to declare.');
  await session.dropSchema('tour');
  const schema = await session.createSchema('tour');
  const hooks = await schema.createCollection('hooks');
  const products = await schema.createCollection('products');

  const payloads = events.flatMap((event) => event.examples);
  const added = await hooks.add(payloads).execute();
  console.log(`  added ${added.getAffectedItemsCount()} webhook payloads`);
  const result = await products.add(
    { title: 'Jippie', material: 'cotton', year: 1974, sizes: ['S', 'M'] },
    { title: 'Beach', material: 'linen', price: 12.5, maker: 'Codertocat' },
    { title: 'River', usage: 'outdoor', year: 1974.5 },
    { title: 'Summer', material: 'cotton', year: '1974' },
  ).execute();
  console.log(`  added products, _id of each: ${result.getGeneratedIds().join(' ')}`);

  await show('Documents by a named path: bound values, some fields, sorted, limited',
    hooks.find('action = :action AND sender.id > :id').bind('action', 'created').bind('id', 1000)
      .fields('action', 'sender.login AS login', 'repository.full_name AS repository')
      .sort('sender.login DESC', 'repository.full_name').limit(3));
  await show('Documents that hold a value at any path, in arrays too',
    products.find(':v IN $**.*').bind('v', 'S'));
  await show('The number 1974 is not the string "1974"',
    products.find(':v IN $**.*').bind('v', 1974).fields('title', 'year'));
  await show('The value and a condition on a named path',
    hooks.find(':v IN $**.* AND action = :action').bind('v', 'bug').bind('action', 'opened')
      .fields('action', 'issue.title AS issue', 'pull_request.title AS pull_request').limit(3));
  await show('In SQL, across all collections: where does a name live?',
    session.sql(`SELECT collection, path, COUNT(*) AS matches FROM tour.*
                 WHERE * = 'Codertocat' GROUP BY collection, path
                 ORDER BY matches DESC LIMIT 6`));
  await show('Which paths are there? Counted as documents come and go',
    session.sql(`SELECT path, documents, strings, integers, doubles
                 FROM information_schema.collection_paths
                 WHERE schema_name = 'tour' AND collection_name = 'products' ORDER BY path`));

  step('Changes by named paths');
  const changed = await products.modify('material = :m').bind('m', 'cotton')
    .set('material', 'wool').arrayAppend('sizes', 'L').unset('usage').execute();
  console.log(`  ${changed.getAffectedItemsCount()} products changed`);
  await show('The index knows the new value, and not the old one any more',
    products.find('"wool" IN $**.* OR "cotton" IN $**.*').fields('title', 'material', 'sizes'));

  step('A transaction sees its own changes, and takes them back');
  await session.startTransaction();
  await products.remove('title = :t').bind('t', 'River').execute();
  await products.add({ title: 'Winter', material: 'silk' }).execute();
  await products.modify('true').set('seen', true).execute();
  const within = await products.find(':v IN $**.*').bind('v', 'silk').fields('title').execute();
  for (const row of within.fetchAll()) print(row);
  console.log(`  within: ${await products.count()} products`);
  await session.rollback();
  const after = await products.find(':v IN $**.*').bind('v', 'silk').execute();
  console.log(`  rolled back: ${await products.count()} products, silk: ${after.fetchAll().length}`);

  step('The schema goes, with its collections and their indexes');
  await session.dropSchema('tour');
}

const session = await mysqlx.getSession(uri);
try {
  await tour(session);
} finally {
  await session.close();
}
