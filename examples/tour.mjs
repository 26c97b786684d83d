// A tour of Wherestar with the unmodified client @mysql/xdevapi.
//
//   (cd examples && npm install)
//   build/release/bin/wherestard --data /tmp/tour --port 33060 &
//   node examples/tour.mjs [mysqlx://root@127.0.0.1:33060]
import mysqlx from '@mysql/xdevapi';

const uri = process.argv[2] ?? 'mysqlx://root@127.0.0.1:33060';
const session = await mysqlx.getSession(uri);

await session.dropSchema('tour');
const schema = await session.createSchema('tour');
const products = await schema.createCollection('products');
const reviews = await schema.createCollection('reviews');

const added = await products.add(
  { title: 'Jippie', material: 'cotton', year: 1974, sizes: ['S', 'M'] },
  { title: 'Beach', material: 'linen', price: 12.5 },
  { title: 'River', usage: 'outdoor', year: 1974.5 },
).execute();
console.log(`added ${added.getAffectedItemsCount()} documents, _id of each:`,
            added.getGeneratedIds());
await reviews.add({ _id: 'r1', text: 'A fine one', about: { product: 'Jippie' }, stars: 5 })
  .execute();

async function show(title, statement) {
  const result = await statement.execute();
  console.log(`\n${title}`);
  for (const row of result.fetchAll()) console.log(' ', JSON.stringify(row));
}

await show('Documents by a named path, with a bound value, some fields, in order',
           products.find('year >= :from').bind('from', 1974).fields('title', 'year')
             .sort('title'));
await show('The value at any path, in arrays too',
           products.find(':v IN $**.*').bind('v', 'S'));
await show('Numbers are numbers: 1974 is not "1974"',
           products.find(':v IN $**.*').bind('v', 1974).fields('title'));
await show('The same in SQL, across all collections: where does the word live?',
           session.sql("SELECT collection, path, _id FROM tour.* WHERE * = 'Jippie'"));
await show('What is in a collection: every path, counted as documents come and go',
           session.sql('SELECT path, documents, strings, integers, doubles ' +
                       'FROM information_schema.collection_paths ' +
                       "WHERE schema_name = 'tour' AND collection_name = 'products' ORDER BY path"));

await session.startTransaction();
await products.modify('material = :m').bind('m', 'cotton').set('material', 'wool').execute();
await products.remove('title = :t').bind('t', 'River').execute();
console.log(`\nwithin the transaction: ${await products.count()} products`);
await session.rollback();
console.log(`after rolling it back: ${await products.count()} products`);

await session.dropSchema('tour');
await session.close();
