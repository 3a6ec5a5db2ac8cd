/** `sluice report`: a run as one file for any browser, made from what it left in its folder. The file can be sent to others: it needs no engine and asks nobody. */
import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../../config/system/error-code.js';
import { withForeignFile } from '../../../config/system/foreign-file.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { readReport } from '../../http/read-report.js';
import { renderReport } from '../../http/render-report.js';
import { REPORT_HEAD } from '../../views/report-head.js';
import { filesElsewhere } from '../find/files-elsewhere.js';
import { findRun } from '../find/find-run.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export interface ReportForm {
  readonly asked: string | null;
  /** A path, or `-` for standard output. */
  readonly out?: string | undefined;
}

const TO_STDOUT = '-';

export async function report(context: Context, { asked, out }: ReportForm): Promise<ExitCode> {
  const { io, json } = context;
  if (json && out === TO_STDOUT) throw new RefusedError(TWO_OUTPUTS);
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const run = await findRun(context, sluice, asked);
  const { runId, runDir } = run;
  if (runDir === null) throw new RefusedError(filesElsewhere(run));
  const file = out === TO_STDOUT ? null : resolve(io.cwd, out ?? `${runId}.html`);
  if (file !== null) await refuseOther(file);
  const html = await renderReport(await readReport({ ...run, runDir }, new Date().toISOString()));
  if (file === null) io.write(html);
  else {
    writeReport(file, html);
    const bytes = Buffer.byteLength(html);
    if (json) io.json({ kind: 'report', runId, file, bytes });
    else io.out(`Wrote ${foreign(file)} (${Math.ceil(bytes / 1_000)} kB); open it in any browser.`);
  }
  return EXIT.done;
}

/** An earlier report makes way; nothing else does, and no link is followed. */
async function refuseOther(file: string): Promise<void> {
  const head = await withForeignFile(file, {}, (open) => Promise.resolve(open.headNow(REPORT_HEAD.length)));
  if (head?.toString('latin1') === REPORT_HEAD) return;
  const isThere = await lstat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  throw new RefusedError({
    what: `${foreign(file)} is there and is no report of sluice`,
    why: 'a report takes the place of an earlier report, and of nothing else',
    now: 'Nothing was written.',
    mend: 'sluice report --out <another file>',
  });
}

function writeReport(file: string, html: string): void {
  try {
    replaceFile(file, html);
  } catch (error) {
    throw new RefusedError({
      what: `${foreign(file)} cannot be written: ${foreign(messageOf(error))}`,
      why: 'the report is one file in a folder that is there and is yours to write in',
      now: 'Nothing was written.',
      mend: 'sluice report --out <another file>',
    });
  }
}

const TWO_OUTPUTS = {
  what: '--json and --out - are given',
  why: 'both would print to standard output',
  now: 'Nothing was written.',
  mend: 'sluice report --out -',
};
