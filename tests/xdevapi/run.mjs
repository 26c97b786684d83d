// Runs the functional tests that the npm package @mysql/xdevapi carries against a wherestard of its
// own, on a free port and a temporary data directory.
//
// A run is green when no test fails that known_failures.txt does not name, none passes that it
// names, and at least as many pass as ever before. Last line: "N passed, N failed".
//
// usage: node run.mjs [--show REGEX] [--list] [file or folder under test/functional/default]...
//   --show REGEX   print the error of each failing test whose title matches
//   --list         print the titles of all that fail, as lines for known_failures.txt
// environment: WHERESTARD (the program) or WHERESTAR_BIN (its folder)
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const bin = process.env.WHERESTAR_BIN ?? path.join(root, 'build/release/bin');
const program = process.env.WHERESTARD ?? path.join(bin, 'wherestard');
const suiteFolder = path.join(here, 'node_modules/@mysql/xdevapi/test/functional/default');
// The least number of passing tests, by the set that is run; raise it when more pass.
const defaultSets = ['document-store', 'session', 'schema.js'];
const leastPassed = 245;

const args = process.argv.slice(2);
let show = null;
let list = false;
const sets = [];
while (args.length > 0) {
  const arg = args.shift();
  if (arg === '--show') show = new RegExp(args.shift());
  else if (arg === '--list') list = true;
  else sets.push(arg);
}
const isWholeRun = sets.length === 0;
const chosen = isWholeRun ? defaultSets : sets;

async function run(command, commandArgs, options) {
  const child = spawn(command, commandArgs, options);
  const [code] = await once(child, 'exit');
  return code;
}

async function install() {
  if (existsSync(path.join(here, 'node_modules/mocha'))) return;
  const code = await run('npm', ['install', '--silent', '--no-audit', '--no-fund',
                                 '--no-package-lock'], { cwd: here, stdio: 'inherit' });
  if (code !== 0) throw new Error(`npm install ended with ${code}`);
}

async function startServer(work) {
  const socket = path.join(work, 'wherestar.sock');
  const server = spawn(program, ['--data', path.join(work, 'data'), '--port', '0',
                                 '--socket', socket, '--durability', 'async'],
                       { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  server.stderr.on('data', (chunk) => { log = (log + chunk).slice(-20000); });
  const ended = once(server, 'exit').then(([code, signal]) => {
    throw new Error(`the server ended (${code ?? signal}): ${log}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: server.stdout }), 'line'),
                                     ended]);
  return { server, socket, port: line.match(/:(\d+)$/)[1], log: () => log };
}

function readKnownFailures() {
  const known = new Map();
  const file = path.join(here, 'known_failures.txt');
  if (!existsSync(file)) return known;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [title, reason] = line.split(' # ');
    if (!reason) throw new Error(`known_failures.txt: no reason for: ${title}`);
    known.set(title.trim(), reason.trim());
  }
  return known;
}

async function runMocha(work, server) {
  const output = path.join(work, 'report.json');
  const mocha = path.join(here, 'node_modules/mocha/bin/mocha.js');
  await run(process.execPath,
            [mocha, '--reporter', 'json', '--reporter-option', `output=${output}`,
             '--timeout', '30000', '--exit', '--recursive',
             ...chosen.map((name) => path.join(suiteFolder, name))],
            { stdio: 'ignore',
              env: { ...process.env, MYSQLX_HOST: '127.0.0.1', MYSQLX_PORT: server.port,
                     MYSQLX_USER: 'root', MYSQLX_PASSWORD: '', MYSQLX_SOCKET: server.socket,
                     MYSQLX_DEFAULT_SCHEMA: 'nodejs_test' } });
  return JSON.parse(readFileSync(output, 'utf8'));
}

function judge(report) {
  const known = readKnownFailures();
  const failed = new Map(report.failures.map((test) => [test.fullTitle, test.err]));
  let wrong = 0;
  for (const [title, error] of failed) {
    if (list) console.log(`${title} # ${error.message?.split('\n')[0] ?? ''}`);
    if (show?.test(title)) console.log(`--- ${title}\n${error.stack ?? JSON.stringify(error)}\n`);
    if (known.has(title)) continue;
    wrong += 1;
    if (isWholeRun && !list) console.log(`FAILED ${title}: ${error.message?.split('\n')[0] ?? ''}`);
  }
  for (const test of report.passes) {
    if (!known.has(test.fullTitle)) continue;
    wrong += 1;
    console.log(`PASSED, although known_failures.txt names it: ${test.fullTitle}`);
  }
  if (isWholeRun && report.stats.passes < leastPassed) {
    console.log(`only ${report.stats.passes} tests pass; ${leastPassed} did before`);
    wrong += 1;
  }
  console.log(`${chosen.join(' ')}: ${report.stats.passes} of ${report.stats.tests} tests pass, ` +
              `${failed.size} fail, ${report.stats.pending} are skipped by the suite itself`);
  console.log(`${report.stats.passes} passed, ${wrong} failed`);
  return wrong === 0;
}

await install();
const work = mkdtempSync(path.join(os.tmpdir(), 'wherestar-xdevapi-'));
let green = false;
let server = null;
try {
  server = await startServer(work);
  const report = await runMocha(work, server);
  green = judge(report);
  const ended = once(server.server, 'exit');
  server.server.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) {
    console.log(`the server ended with ${code} on SIGTERM: ${server.log()}`);
    green = false;
  }
} finally {
  if (server && server.server.exitCode === null) server.server.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = green ? 0 : 1;
