import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** Made by the build, as are all bundles. */
const RUN_BUNDLE = 'dist/programs/run-bundle.js';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'sluice-bundle-')), 'with spaces');
  mkdirSync(at('chunks'), { recursive: true });
  cpSync(RUN_BUNDLE, at('run-bundle.js'));
  writeFileSync(at('chunks/chunk.js'), `exports.say = () => ${JSON.stringify('x'.repeat(5_000))}.length + ' first';`);
  writeFileSync(
    at('chunks/program.js'),
    `const { say } = require('./chunk.js');
     Promise.resolve().then(() => require('./chunk.js')).then((late) => console.log(say(), late.say === say, __url));`,
  );
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

function started(build = 'one', flags: readonly string[] = []) {
  writeFileSync(
    at('program.js'),
    `require('./run-bundle.js').runBundle({ folder: __dirname, build: '${build}' }, 'program')`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, at('program.js')], { encoding: 'utf8' });
  return { status, stderr, said: stdout.split(' true file:')[0] };
}

/** Of the same length: V8 takes a text for another's by its length alone. */
const changeChunk = () =>
  writeFileSync(at('chunks/chunk.js'), readFileSync(at('chunks/chunk.js'), 'latin1').replace('first', 'other'));

const caches = () =>
  readdirSync(at('cache'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

const FIRST = { status: 0, stderr: '', said: '5000 first' };
const OTHER = { ...FIRST, said: '5000 other' };

describe('a bundle', () => {
  it('means what it says beyond ASCII: the bundler leaves patterns and raw templates as they are', () => {
    writeFileSync(at('chunks/chunk.js'), 'exports.say = () => /^it[’]s$/.test("it\\u2019s") + String.raw`’`;');

    expect([started().said, started().said]).toEqual(['true’', 'true’']);
  });
});

describe('a bundle in whose place a later build was put', () => {
  it('says so where it needs a part that it had not loaded', () => {
    writeFileSync(
      at('chunks/program.js'),
      `require('node:fs').rmSync(${JSON.stringify(at('chunks/chunk.js'))});
       require('node:fs').writeFileSync(${JSON.stringify(at('program.js'))}, 'of another build');
       Promise.resolve().then(() => require('./chunk.js')).catch(({ code, message }) => console.log(code, message));`,
    );

    expect(started().said).toMatch(/^SLUICE_BUILT_ANEW it was built anew since it started.*chunk\.js is gone/);
  });
});

describe('a bundle that lacks a part', () => {
  it.each(['program.js', 'chunk.js'])('is called not whole, and not built anew: %s', (part) => {
    rmSync(at('chunks', part));

    const { status, stderr } = started();

    expect(status).toBe(1);
    expect(stderr).toMatch(/this installation of sluice is not whole, npm run setup .*\.js is missing/);
    expect(stderr).not.toContain('built anew');
  });
});

describe('the code cache of a bundle', () => {
  it('is taken at the next start', () => {
    expect(started()).toEqual(FIRST);
    changeChunk();
    expect(started()).toEqual(FIRST);
    expect(caches()).toHaveLength(2);
  });

  it.each([
    ['of another build', () => undefined, 'two', []],
    ['of other flags of V8', () => undefined, 'one', ['--no-opt']],
    ['that was cut', (path: string) => truncateSync(path, 1_000), 'one', []],
    ['that is empty', (path: string) => truncateSync(path, 0), 'one', []],
    ['with a wrong byte', (path: string) => flipByte(path), 'one', []],
  ] as const)('%s is not believed, and made anew', (_what, spoil, build, flags) => {
    started();
    for (const name of caches()) spoil(at('cache', name));
    changeChunk();

    expect([started(build, flags), started(build, flags)]).toEqual([OTHER, OTHER]);
  });

  it('is done without where none can be written', () => {
    writeFileSync(at('cache'), '');

    expect([started(), started()]).toEqual([FIRST, FIRST]);
  });
});

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x55;
  writeFileSync(path, bytes);
}
