/**
 * Bundles the page into dist/page: one script, one sheet and the file that names them, for Node what draws a report of the same parts, and the licences of
 * what is packed in. Written beside and put in place by rename.
 */
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { noticesOf } from './notices.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = join(ROOT, 'dist/page');
const FRESH = `${TARGET}.${process.pid}.tmp`;
const OLD = `${FRESH}.old`;

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

try {
  const page = await build({
    ...SHARED,
    entryPoints: { main: join(ROOT, 'page/main.tsx'), style: join(ROOT, 'page/style.css') },
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
  if (existsSync(TARGET)) renameSync(TARGET, OLD);
  renameSync(FRESH, TARGET);
} finally {
  for (const folder of [FRESH, OLD]) rmSync(folder, { recursive: true, force: true });
}
