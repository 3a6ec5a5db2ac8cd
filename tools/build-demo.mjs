/**
 * Puts the packages that the demo works on into dist/demo, for an installed sluice has no development dependencies: minimist as it was released, and tape,
 * which runs its tests, in two files with the licences of what is packed in.
 */
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { noticesOf } from './notices.mjs';
import { besideOf, putInPlace } from './put-in-place.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = join(ROOT, 'dist/demo');
const FRESH = besideOf(TARGET);
const TAPE = join(FRESH, 'tape');

await putInPlace(TARGET, async () => {
  cpSync(join(ROOT, 'node_modules/minimist'), join(FRESH, 'minimist'), { recursive: true, dereference: true });
  const { metafile } = await build({
    entryPoints: { index: 'node_modules/tape/index.js', 'bin/tape': 'node_modules/tape/bin/tape' },
    outdir: TAPE,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    loader: { '': 'js' },
    // The program and the tests share one tape.
    external: ['../'],
    logLevel: 'warning',
    absWorkingDir: ROOT,
    metafile: true,
  });
  // It is started by the name that it has where it is installed.
  renameSync(join(TAPE, 'bin/tape.js'), join(TAPE, 'bin/tape'));
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'node_modules/tape/package.json'), 'utf8'));
  writeFileSync(join(TAPE, 'package.json'), `${JSON.stringify({ name, version, license, main: 'index.js' })}\n`);
  writeFileSync(join(TAPE, 'THIRD-PARTY-NOTICES.txt'), noticesOf(ROOT, Object.keys(metafile.inputs)));
});
