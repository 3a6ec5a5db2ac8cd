/**
 * Bundles the compiled programs into dist/programs: a file for each that is started, all they share in chunks, source maps, and the licences of what is
 * packed in. The chunks are CommonJS, because V8's code cache takes no modules in Node 20.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ENTRIES } from '../dist/config/system/entries.js';
import { noticesOf } from './notices.mjs';
import { besideOf, putInPlace } from './put-in-place.mjs';
import { keepSpokenApi } from './spoken-api.ts';
import { leaveCallsUnwatched, replaceOnce, watchActivations, writeStacksWhenAsked } from './workflow-thread.ts';

const ROOT = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '..'));
const DIST = join(ROOT, 'dist');
const TARGET = join(DIST, 'programs');
const FRESH = besideOf(TARGET);
const CHUNKS = join(FRESH, 'chunks');

const THREAD = 'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js';

/** Loaded by path too: by name from wire/data-converter.ts, and by the workers that tests kill. */
const ALSO = {
  'redacting-failure-converter': 'dist/wire/redacting-failure-converter.js',
  'start-worker': 'dist/worker/start-worker.js',
};

/** Loaded by the SDK in its own thread, and apart from the others: what it shares with them it would have to load whole. */
const IN_A_THREAD = { 'workflow-thread': THREAD };

/** Sought by the code beside itself. */
const BESIDE = ['node_modules/source-map/lib/mappings.wasm'];

const NODE = { platform: 'node', target: 'node20', logLevel: 'warning', absWorkingDir: ROOT };

/** A worker of ours has its workflows bundled, so webpack and memfs are never needed. */
const NO_BUNDLER = `
exports.defaultWorkflowInterceptorModules = [];
exports.bundleWorkflowCode = exports.WorkflowCodeBundler = function () {
  throw new Error('this worker runs a workflow bundle; it makes none');
};`;

/** What the code says of its own place, and what is required by other means than the bundler knows. Errors: a file that does not say it any more. */
const REWRITES = [
  { file: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/, rewrite: () => NO_BUNDLER },
  {
    file: /@temporalio\/worker\/lib\/workflow\/threaded-vm\.js$/,
    rewrite: (text) => replaceOnce(text, "'./workflow-worker-thread'", "'../workflow-thread.js'"),
  },
  { file: /@temporalio\/worker\/lib\/worker\.js$/, rewrite: withoutPreload },
  { file: /@temporalio\/worker\/lib\/workflow\/vm-shared\.js$/, rewrite: writeStacksWhenAsked },
  { file: /@temporalio\/worker\/lib\/workflow\/reusable-vm\.js$/, rewrite: leaveCallsUnwatched },
  { file: /@temporalio\/worker\/lib\/workflow\/workflow-worker-thread\.js$/, rewrite: watchActivations },
  { file: /@temporalio\/proto\/protos\/json-module\.js$/, rewrite: leaveApiOut },
  // A script cannot wait at its top level.
  {
    file: /\/activities\/agent\/prompts\/stage-work\.js$/,
    rewrite: (text) => replaceOnce(text, 'await import(', 'require('),
  },
  {
    file: new RegExp(`^${DIST.replace(/[^\w/]/g, '\\$&')}/.*\\.js$`),
    rewrite: (text) =>
      text
        .replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
        .replaceAll('createRequire(import.meta.url)(', 'require('),
  },
];

/** CommonJS that is loaded lazily: Node finds the names that it exports, the bundler gives it a default alone. */
const LAZY_COMMON_JS = /^@temporalio\/(?:common|envconfig)$/;

const PROGRAMS = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(DIST, `${path}.js`)]));

/** Where the description of Temporal's API comes to stand once all that speaks it is known. */
const API = 'the API as far as it is spoken';

await putInPlace(TARGET, async () => {
  const bundles = [await bundleChunks({ ...PROGRAMS, ...ALSO }), await bundleChunks(IN_A_THREAD)];
  await turnToScripts();
  for (const { chunks } of bundles) putApiIn(chunks);
  for (const path of BESIDE) copyFileSync(join(ROOT, path), join(CHUNKS, basename(path)));
  await writeStarters();
  const inputs = bundles.flatMap((bundle) => bundle.inputs);
  writeFileSync(join(FRESH, 'THIRD-PARTY-NOTICES.txt'), noticesOf(ROOT, inputs));
});

/** Answers what went into them and their names. */
async function bundleChunks(entryPoints) {
  const { metafile } = await build({
    ...NODE,
    entryPoints,
    outdir: CHUNKS,
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    // Finds the native library beside itself.
    external: ['@temporalio/core-bridge/common.js'],
    plugins: [{ name: 'rewrites', setup: rewriteFiles }],
  });
  for (const { entryPoint = '', exports } of Object.values(metafile.outputs))
    if (entryPoint.includes('node_modules/') && !entryPoint.endsWith(THREAD) && String(exports) === 'default')
      throw new Error(`${entryPoint} is loaded lazily and has no names; add it to LAZY_COMMON_JS`);
  const chunks = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  return { inputs: Object.keys(metafile.inputs), chunks: chunks.map((path) => join(ROOT, path)) };
}

/** The SDK runs the bundle once outside its thread too, so that a debugger finds its breakpoints: a sixth of a worker's start. */
function withoutPreload(text) {
  const noScript = replaceOnce(text, 'let script = new vm.Script(code, { filename });', 'let script;');
  return replaceOnce(noScript, 'script.runInContext(context);', '');
}

function leaveApiOut(text) {
  const { begin, end } = placeOfApi(text);
  return `${text.slice(0, begin)}'${API}'${text.slice(end)}`;
}

/** A process builds types out of it at its start; of the whole API that would be twice as long, in the thread of the workflows ten times. */
function putApiIn(chunks) {
  const texts = chunks.map((path) => readFileSync(path, 'utf8'));
  const all = readFileSync(join(ROOT, 'node_modules/@temporalio/proto/protos/json-module.js'), 'utf8');
  const { begin, end } = placeOfApi(all);
  const api = JSON.stringify(keepSpokenApi(JSON.parse(all.slice(begin, end)), texts.join('\n')));
  const place = texts.findIndex((text) => text.includes(API));
  writeFileSync(chunks[place], replaceOnce(texts[place], `"${API}"`, api));
}

/** The one object in the SDK's module, in JSON. */
function placeOfApi(text) {
  return { begin: text.indexOf('.addJSON(') + '.addJSON('.length, end: text.lastIndexOf('});') + 1 };
}

function rewriteFiles(esbuild) {
  esbuild.onResolve({ filter: /^\.\/common$/ }, ({ importer }) =>
    importer.endsWith('/@temporalio/core-bridge/index.js')
      ? { path: '@temporalio/core-bridge/common.js', external: true }
      : undefined,
  );
  esbuild.onResolve({ filter: LAZY_COMMON_JS }, ({ path, kind }) =>
    kind === 'dynamic-import' ? { path, namespace: 'named' } : undefined,
  );
  esbuild.onLoad({ filter: /.*/, namespace: 'named' }, ({ path }) => {
    const names = Object.keys(createRequire(import.meta.url)(path));
    return { contents: `import * as all from '${path}';\nexport const { ${names.join()} } = all;`, resolveDir: ROOT };
  });
  for (const { file, rewrite } of REWRITES)
    esbuild.onLoad({ filter: file }, ({ path }) => ({ contents: rewrite(readFileSync(path, 'utf8')), loader: 'js' }));
}

async function turnToScripts() {
  await build({
    ...NODE,
    entryPoints: readdirSync(CHUNKS)
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(CHUNKS, name)),
    outdir: CHUNKS,
    allowOverwrite: true,
    bundle: false,
    format: 'cjs',
    charset: 'ascii',
    sourcemap: true,
    sourcesContent: false,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__url' },
  });
}

/** The files that are started by path. */
async function writeStarters() {
  const id = createHash('sha1');
  for (const name of readdirSync(CHUNKS).toSorted())
    if (name.endsWith('.js')) id.update(readFileSync(join(CHUNKS, name)));
  await build({
    ...NODE,
    entryPoints: [join(DIST, 'config/system/run-bundle.js')],
    outfile: join(FRESH, 'run-bundle.js'),
    bundle: true,
    format: 'cjs',
  });
  writeFileSync(join(FRESH, 'package.json'), '{ "type": "commonjs" }\n');
  const bundles = `{ folder: __dirname, build: '${id.digest('hex')}' }`;
  for (const name of [...Object.keys(ENTRIES), 'start-worker', 'workflow-thread'])
    writeFileSync(
      join(FRESH, `${name}.js`),
      `#!/usr/bin/env node\n'use strict';\nmodule.exports = require('./run-bundle.js').runBundle(${bundles}, '${name}');\n`,
      { mode: 0o755 },
    );
}
