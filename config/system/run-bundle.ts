/**
 * Runs our bundles (tools/build-programs.mjs) with V8's code cache: compiling is most of what a short start costs, and Node 20 caches nothing by itself.
 * The cache of a chunk lies beside the bundles, below build, V8 with its flags, and program; whoever can write there can write the bundles too. One that is
 * missing, cut, foreign or cannot be written costs the compilation, never an error.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { BUILT_ANEW, codeOf, NOT_WHOLE } from './error-code.js';

export interface Bundles {
  /** Holds chunks and caches. */
  readonly folder: string;
  /** Another for other chunks. */
  readonly build: string;
}

interface Loaded {
  exports: unknown;
}

type Wrapped = (...given: readonly unknown[]) => void;

const HEAD = '(function (exports, require, module, __filename, __dirname, __url) {';

/** What a program needs to start has run by then, so its functions are in the cache too. */
const KEEP_AFTER_MS = 5_000;

/** Runs a program of the bundles: its chunk and, as they are required, all others. Answers what the chunk exports. */
export function runBundle({ folder, build }: Bundles, program: string): unknown {
  const chunks = join(folder, 'chunks');
  const caches = join(folder, 'cache', build, String(cachedDataVersionTag()), program);
  const base = pathToFileURL(chunks).href;
  const loaded = new Map<string, Loaded>();
  const fresh = new Map<string, Script>();
  const outer = createRequire(join(chunks, program));
  const require = Object.assign((name: string) => load(name), outer);

  function load(name: string): unknown {
    const path = resolve(chunks, name);
    if (!isChunk(name, path)) return outer(name);
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const run = compile(path);
    const module: Loaded = { exports: {} };
    loaded.set(path, module);
    try {
      run(module.exports, require, module, path, chunks, `${base}/${basename(path)}`);
    } catch (error) {
      loaded.delete(path);
      throw error;
    }
    return module.exports;
  }

  function isChunk(name: string, path: string): boolean {
    return (name.startsWith('.') || name.startsWith('/')) && dirname(path) === chunks;
  }

  function compile(filename: string): Wrapped {
    const cache = join(caches, basename(filename));
    const cachedData = readCache(cache);
    const text = `${HEAD}${readChunk(filename, () => isInPlace({ folder, build }, program))}\n})`;
    const options = { filename, columnOffset: -HEAD.length, ...(cachedData === null ? {} : { cachedData }) };
    const script = new Script(text, options);
    if (cachedData === null || script.cachedDataRejected === true) fresh.set(cache, script);
    return script.runInThisContext() as Wrapped; // HEAD is a function of these.
  }

  function keepCaches(): void {
    for (const [cache, script] of fresh) if (!writeCache(cache, script.createCachedData())) break;
    fresh.clear();
  }

  process.once('exit', keepCaches);
  setTimeout(keepCaches, KEEP_AFTER_MS).unref();
  return load(`./${program}.js`);
}

/** What starts the program is of its own build. */
function isInPlace({ folder, build }: Bundles, program: string): boolean {
  try {
    return readFileSync(join(folder, `${program}.js`), 'latin1').includes(build);
  } catch {
    return false;
  }
}

/** Errors: BUILT_ANEW or NOT_WHOLE, with words for whoever only shows the message. */
function readChunk(path: string, isOwnBuild: () => boolean): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const [code, message] = isOwnBuild()
      ? [NOT_WHOLE, `this installation of sluice is not whole, npm run setup makes it anew (${path} is missing)`]
      : [BUILT_ANEW, `it was built anew since it started, and must be started again (${path} is gone)`];
    throw Object.assign(new Error(message, { cause: error }), { code });
  }
}

/** V8 does not look whether a cache is whole, and dies of one that is not. */
function readCache(path: string): Buffer | null {
  try {
    const stored = readFileSync(path);
    const data = stored.subarray(DIGEST_BYTES);
    return digestOf(data).equals(stored.subarray(0, DIGEST_BYTES)) ? data : null;
  } catch {
    return null;
  }
}

const DIGEST_BYTES = 20;

function digestOf(data: Buffer): Buffer {
  return createHash('sha1').update(data).digest();
}

/** False: nothing can be written here. */
function writeCache(path: string, data: Buffer): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, Buffer.concat([digestOf(data), data]));
    renameSync(temporary, path);
    return true;
  } catch {
    remove(temporary);
    return false;
  }
}

function remove(path: string): void {
  try {
    rmSync(path);
  } catch {
    // It was never made.
  }
}
