/** A run as one file for any browser, without script and without a request: the page's own parts, drawn here. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../config/system/entries.js';
import { readPageFile } from './page-files.js';
import type { ReportPage } from './read-report.js';

/** Of page/report/render-report.tsx, which knows browsers and is bundled for Node by itself. */
interface Renderer {
  readonly renderReport: (report: ReportPage, style: string) => string;
}

/** Errors: plain Error where the build did not make it. */
export async function renderReport(report: ReportPage): Promise<string> {
  const path = join(PACKAGE_ROOT, 'dist/page/render-report.cjs');
  const [{ renderReport: render }, style] = [
    createRequire(import.meta.url)(path) as Renderer,
    await readPageFile('style.css'),
  ];
  return render(report, style.text);
}
