/**
 * Bundles the page into dist/page: one script, one sheet and the file that names them, for Node what draws a report of the same parts, and the licences of
 * what is packed in.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { noticesOf } from './notices.mjs';
import { besideOf, putInPlace } from './put-in-place.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = join(ROOT, 'dist/page');
const FRESH = besideOf(TARGET);

const SHARED = {
  bundle: true,
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfigRaw: '{}',
  legalComments: 'inline',
  logLevel: 'warning',
  absWorkingDir: ROOT,
  metafile: true,
};

await putInPlace(TARGET, async () => {
  const page = await build({
    ...SHARED,
    entryPoints: { main: join(ROOT, 'page/main.ts'), style: join(ROOT, 'page/style.css') },
    outdir: FRESH,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  });
  // The programs are scripts, which can load no module.
  const report = await build({
    ...SHARED,
    entryPoints: [join(ROOT, 'page/report/render-report.tsx')],
    outfile: join(FRESH, 'render-report.cjs'),
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  copyFileSync(join(ROOT, 'page/index.html'), join(FRESH, 'index.html'));
  const packed = [page, report].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(FRESH, 'THIRD-PARTY-NOTICES.txt'), noticesOf(ROOT, packed));
});
