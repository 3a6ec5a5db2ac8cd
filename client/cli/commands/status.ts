/** `sluice status`: the run view, complete with --json (V-135). From the run itself, or from state.json when it cannot be asked. */
import type { RunView } from '../../../protocol/run-view.js';
import { type Retrying, retryText } from '../../retrying.js';
import { CliError } from '../cli-error.js';
import { connectToLook } from '../connect.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type FoundRun, findRun, viewOf } from '../find-run.js';
import { foreign } from '../io.js';
import { agentLabel } from '../plain-lines.js';

export async function status(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  const sluice = await connectToLook(context);
  try {
    const run = await findRun(context, sluice, asked);
    const view = await viewOf(run, sluice);
    if (view === null) throw new CliError(unknownView(run));
    const execution = view.outcome === null && sluice !== null ? await sluice.describe(run.workflowId).catch(() => null) : null;
    const retrying = execution?.retrying ?? null;
    if (json) io.json({ ...view, retrying });
    else {
      if (sluice === null) io.err('The engine is down; this is what the run last wrote.');
      for (const line of renderView(view, retrying)) io.out(line);
    }
    return EXIT.done;
  } finally {
    await sluice?.close();
  }
}

/** Foreign text in the view is made printable here. */
export function renderView(view: RunView, retrying: Retrying | null = null): string[] {
  const rows: [string, string | null][] = [
    ['run', view.runId],
    ['title', view.title],
    ['status', view.blockedReason === null ? view.status : `${view.status}: ${view.blockedReason}`],
    ['outcome', view.outcome],
    ['stage', view.stage],
    [
      'waits for',
      view.waiting === null ? null : `${view.waiting.kind}${view.waiting.until === null ? '' : ` until ${view.waiting.until}`}`,
    ],
    ['retrying', retrying === null ? null : `${retrying.activity}, ${retryText(retrying)}`],
    ['agent', view.agent === null ? null : agentLabel(view.agent)],
    ['reason', view.error],
    ['repository', view.repo],
    ['branch', view.branch],
    ['base', view.baseSha === null ? null : `${view.baseBranch ?? ''} ${view.baseSha.slice(0, 12)}`.trim()],
    ['head', view.headSha?.slice(0, 12) ?? null],
    ['worktree', view.worktree],
    ['review', view.finalDecision],
    ['verification', view.verification],
    ['merge', view.merge === 'none' ? null : view.merge],
    ['started', view.startedAt],
    ['updated', view.updatedAt],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(13)}${foreign(value)}`]));
}

function unknownView(run: FoundRun) {
  return {
    what: `the run ${foreign(run.runId)} cannot be asked and has no state.json here`,
    why: 'a run answers through a worker, or is read from its folder on its own host',
    now: `The server says: ${run.execution ?? 'nothing'}; started ${run.startedAt}.`,
    mend: 'sluice up    or, on another host: sluice worker',
  };
}
