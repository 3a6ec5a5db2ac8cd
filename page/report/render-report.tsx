/** Makes report.html, in Node: one file that needs nothing, runs nothing and asks nobody. */
import { render } from 'preact-render-to-string';
import type { ReportPage } from '../../client/http/read-report.js';
import { REPORT_HEAD } from '../../client/views/report-head.js';
import { printableLine } from '../../protocol/text/printable.js';
import { Report } from './report.js';

/** Whatever a task, a title or an agent wrote: a browser loads nothing for it and runs none of it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** `style`: our own sheet, which stands in the file as it is. */
export function renderReport(report: ReportPage, style: string): string {
  const title = printableLine(report.page.row.title ?? report.page.row.runId);
  return [
    `${REPORT_HEAD}<html lang="en">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    render(<title>{`${title} - sluice`}</title>),
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    render(
      <body>
        <Report report={report} />
      </body>,
    ),
    '</html>',
    '',
  ].join('\n');
}
