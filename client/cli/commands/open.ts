/** `sluice open`: the worktree of a run, or a file of it, in the person's editor; its report in their browser. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { exists } from '../../look/find-runs.js';
import { filesElsewhere } from '../find/files-elsewhere.js';
import { findRun } from '../find/find-run.js';
import { findWorktree } from '../find/find-worktree.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { runForPerson } from '../terminal/person-program.js';

export interface OpenForm {
  readonly asked: string | null;
  /** Below the worktree. */
  readonly file?: string | undefined;
  readonly report: boolean;
}

/** What is opened, and with what. */
interface Opening {
  readonly runId: string;
  readonly path: string;
  readonly variable: 'VISUAL' | 'BROWSER';
  readonly program: string | null;
}

export async function open(context: Context, form: OpenForm): Promise<ExitCode> {
  const { io, json } = context;
  const opening = await (form.report ? reportOf(context, form) : sourceOf(context, form));
  const { runId, path, variable, program } = opening;
  if (program === null) throw new RefusedError(noProgram(opening, 'none is named'));
  if (!json) io.err(foreign(`Opening ${path}`));
  if (!(await runForPerson(io, { line: program, args: [path], isBeside: json })))
    throw new RefusedError(noProgram(opening, `"${foreign(program)}" (from ${variable}) cannot be started`));
  if (json) io.json({ kind: 'opened', runId, path, program });
  return EXIT.done;
}

async function sourceOf(context: Context, { asked, file }: OpenForm): Promise<Opening> {
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const { runId, worktree } = await findWorktree(context, sluice, asked);
  const path = file === undefined ? worktree : await fileIn(worktree, file);
  return { runId, path, variable: 'VISUAL', program: named(context.io, ['VISUAL', 'EDITOR']) };
}

async function reportOf(context: Context, { asked, file }: OpenForm): Promise<Opening> {
  if (file !== undefined) {
    const why = 'the report lies beside the run, a file in its worktree';
    throw refusal('--file and --report are given', why, 'sluice open --report');
  }
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const run = await findRun(context, sluice, asked);
  if (run.runDir === null) throw new RefusedError(filesElsewhere(run));
  const path = join(run.runDir, 'report.md');
  if (!(await exists(path))) {
    const why = 'a report is written when a run closes';
    throw refusal(`the run ${foreign(run.runId)} has no report`, why, `sluice status ${foreign(run.runId)}`);
  }
  const desktop = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return { runId: run.runId, path, variable: 'BROWSER', program: named(context.io, ['BROWSER']) ?? desktop };
}

/** An agent may have made links that lead anywhere; only what really lies in the worktree is opened. */
async function fileIn(worktree: string, file: string): Promise<string> {
  const [root, path] = await Promise.all([realpath(worktree), realpath(join(worktree, file)).catch(() => null)]);
  if (path?.startsWith(root + sep)) return path;
  throw refusal(
    `--file is "${foreign(file).slice(0, 120)}"`,
    path === null ? 'there is no such file in the worktree' : 'it leads out of the worktree',
    'sluice diff --stat',
  );
}

function named({ env }: Io, variables: readonly string[]): string | null {
  const lines = variables.map((variable) => (env[variable] ?? '').trim());
  return lines.find((line) => line !== '') ?? null;
}

function noProgram({ path, variable }: Opening, what: string) {
  const [use, example] = variable === 'VISUAL' ? ['an editor', 'code'] : ['a browser', 'firefox'];
  return {
    what: `${use} is needed: ${what}`,
    why: `the variable ${variable} says which`,
    now: `It lies at ${foreign(path)}`,
    mend: `export ${variable}=${example}`,
  };
}

function refusal(what: string, why: string, mend: string): RefusedError {
  return new RefusedError({ what, why, now: 'Nothing was opened.', mend });
}
