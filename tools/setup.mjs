/**
 * Brings node_modules, the build, the workflow bundle, the bundled programs, the page, the demo's packages and the server binary up to date; plain Node, since it runs before the first install.
 * A stamp per part holds the size and time of what the part was made from, so that a set-up with nothing to do only looks at files.
 * Never asks. Two set-ups at once: the second waits for a lock that the kernel releases with its holder.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
const stampFile = join(cache, 'setup.json');
const SOURCES = ['protocol', 'config', 'wire', 'workflows', 'activities', 'worker', 'client'];
const PAGE_SOURCES = /\.(?:tsx?|css|html)$/;
const BINARY_VARIABLES = ['SLUICE_TEMPORAL_CLI', 'XDG_CACHE_HOME'];

/** In this order; each says what it was made from and whether its result is there. */
const parts = [
  {
    name: 'node_modules',
    inputs: () => files('package-lock.json', '.npmrc'),
    present: () => existsSync(join(root, 'node_modules/.package-lock.json')),
    // Install scripts are not needed: every native package comes prebuilt.
    make: async () => {
      if (!isInstalled())
        await run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    },
    mend: 'npm ci',
  },
  {
    name: 'build',
    inputs: () => [...files('tsconfig.json', 'tsconfig.build.json', 'package-lock.json'), ...sources()],
    present: () => existsSync(join(root, 'dist/protocol')),
    make: async () => {
      await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
      removeStale(join(root, 'dist'), '');
    },
    mend: 'npm run build',
  },
  {
    name: 'workflow bundle',
    inputs: () => [
      ...files('tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'worker/bundle.ts'),
      ...below('workflows'),
      ...below('protocol'),
      ...below('wire'),
    ],
    present: () => existsSync(join(root, 'dist/workflow-bundle.js')),
    skip: () => !existsSync(join(root, 'workflows/index.ts')),
    make: () => run(process.execPath, ['dist/worker/bundle.js']),
    mend: 'node dist/worker/bundle.js',
  },
  {
    name: 'programs',
    inputs: () => [
      ...files(
        'tsconfig.json',
        'tsconfig.build.json',
        'package-lock.json',
        'tools/build-programs.mjs',
        'tools/notices.mjs',
        'tools/put-in-place.mjs',
        'tools/spoken-api.ts',
        'tools/workflow-thread.ts',
      ),
      ...sources(),
    ],
    present: () => existsSync(join(root, 'dist/programs/cli.js')),
    make: () => run(process.execPath, ['--import', 'tsx', 'tools/build-programs.mjs']),
    mend: 'node --import tsx tools/build-programs.mjs',
  },
  {
    name: 'page',
    inputs: () => [
      ...files('package-lock.json', 'tools/build-page.mjs', 'tools/notices.mjs', 'tools/put-in-place.mjs'),
      ...below('page', PAGE_SOURCES),
      ...below('protocol'),
      ...below('client/views'),
    ],
    present: () => ['main.js', 'render-report.cjs'].every((name) => existsSync(join(root, 'dist/page', name))),
    make: () => run(process.execPath, ['tools/build-page.mjs']),
    mend: 'node tools/build-page.mjs',
  },
  {
    name: 'demo',
    inputs: () => files('package-lock.json', 'tools/build-demo.mjs', 'tools/notices.mjs', 'tools/put-in-place.mjs'),
    present: () => ['minimist', 'tape'].every((name) => existsSync(join(root, 'dist/demo', name, 'package.json'))),
    make: () => run(process.execPath, ['tools/build-demo.mjs']),
    mend: 'node tools/build-demo.mjs',
  },
  {
    name: 'server binary',
    inputs: () => [
      ...files('tools/temporal/go.mod', 'tools/temporal/go.sum'),
      ...BINARY_VARIABLES.map((name) => `${name}=${process.env[name] ?? ''}`),
    ],
    present: (stamp) => typeof stamp?.result === 'string' && existsSync(stamp.result),
    make: async () => {
      // Whoever has the source builds the server too: nothing is run that comes from no registry of packages.
      process.env.SLUICE_TEMPORAL_DOWNLOAD ??= 'off';
      const module = join(root, 'dist/worker/local-engine/server-binary/find-server-binary.js');
      const { findServerBinary } = await import(module);
      return (await findServerBinary({ onProgress: say })).path;
    },
    mend: 'export SLUICE_TEMPORAL_CLI=<path of temporal>',
  },
];

/** Of the lock, while it is held. */
let descriptor = 'ignore';

await main();

async function main() {
  if (stale(readStamps()).length === 0) return;
  const unlock = lock();
  try {
    for (const part of parts) await bring(part);
  } finally {
    unlock();
  }
}

/** Asked again under the lock, and after the parts before it were made. */
async function bring(part) {
  const stamps = readStamps();
  if (!isStale(part, stamps)) return;
  const inputs = digest(part);
  say(`${part.name}: bringing it up to date`);
  const began = performance.now();
  try {
    const result = (await part.make()) ?? null;
    writeStamps({ ...readStamps(), [part.name]: { inputs, result } });
  } catch (error) {
    say(`${part.name} failed: ${error instanceof Error ? error.message : String(error)}`);
    say(`What was up to date before it still is. To see it alone: ${part.mend}`);
    process.exit(1);
  }
  say(`${part.name}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

function stale(stamps) {
  return parts.filter((part) => isStale(part, stamps));
}

function isStale(part, stamps) {
  if (part.skip?.() === true) return false;
  const stamp = stamps[part.name];
  return stamp === undefined || !part.present(stamp) || stamp.inputs !== digest(part);
}

function digest(part) {
  return part.inputs().join('\n');
}

/** npm notes beside node_modules what it installed; a package that is optional may be another platform's. */
function isInstalled() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  try {
    const installed = read('node_modules/.package-lock.json');
    const wanted = Object.entries(read('package-lock.json')).filter(([path]) => path !== '');
    return wanted.every(([path, { version, optional }]) => {
      return installed[path] === undefined ? optional === true : installed[path].version === version;
    });
  } catch {
    return false;
  }
}

function files(...paths) {
  return paths.map(fact);
}

function sources() {
  return SOURCES.flatMap((folder) => below(folder));
}

function below(folder, names = /\.ts$/) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return below(inner, names);
      return names.test(entry.name) ? [fact(inner)] : [];
    });
}

function fact(path) {
  const info = statSync(join(root, path), { throwIfNoEntry: false });
  return info === undefined ? `${path} -` : `${path} ${info.size} ${info.mtimeMs}`;
}

/** tsc leaves the output of deleted sources behind, and a worker would load it. */
function removeStale(folder, relative) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inner = join(relative, entry.name);
    if (['programs', 'page', 'demo'].includes(inner)) continue;
    if (entry.isDirectory()) removeStale(join(folder, entry.name), inner);
    else if (relative !== '' && !existsSync(join(root, inner.replace(/\.(?:d\.ts|js|js\.map)$/, '.ts'))))
      rmSync(join(folder, entry.name));
  }
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamps(stamps) {
  writeFileSync(`${stampFile}.tmp`, JSON.stringify(stamps));
  renameSync(`${stampFile}.tmp`, stampFile);
}

/** An inherited descriptor locked by a helper stays locked with us and with what we start; perl is what macOS has instead of flock. */
function lock() {
  mkdirSync(cache, { recursive: true });
  descriptor = openSync(join(cache, 'setup.lock'), 'a');
  const code =
    'use Fcntl ":flock"; open(F, ">&=3") or exit 2; exit(flock(F, LOCK_EX | ($ARGV[0] ? LOCK_NB : 0)) ? 0 : 1)';
  const take = (now) => {
    const stdio = ['ignore', 'ignore', 'ignore', descriptor];
    const flock = spawnSync('flock', [...(now ? ['-n'] : []), '3'], { stdio });
    return flock.error === undefined
      ? flock.status === 0
      : spawnSync('perl', ['-e', code, now ? '1' : '0'], { stdio }).status === 0;
  };
  if (!take(true)) {
    say('another set-up is at work; waiting for it');
    if (!take(false)) say('no lock could be taken (neither flock nor perl is on PATH); going on without one');
  }
  return () => closeSync(descriptor);
}

/** Output goes to stderr, so that stdout stays the command's own. Who is at work keeps the lock, also where the set-up that started it was killed. */
function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2, descriptor] });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code ?? signal}`));
    });
  });
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}
