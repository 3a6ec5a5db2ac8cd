/** Starts the agent under the guard or attaches to the one that is at work. The worktree is put in order just before a start, never under a live agent. */
import { join } from 'node:path';
import { DetachedError, type ExitRecord, StartRefused } from '../process/contract.js';
import { writeMark } from '../process/marks.js';
import type { TurnJudgement } from './judge-turn.js';
import { moveBranchBack } from './move-branch-back.js';
import { groupOf } from './run-command-line.js';
import { lookBefore } from './surroundings.js';
import type { TurnContextOnHost } from './turn-context.js';
import { badAgent } from './turn-failures.js';
import type { PreparedTurn } from './turn-request.js';
import { type TurnTrouble, troubleOf } from './turn-trouble.js';

const PROMPT_FILE = 'prompt.md';

/** A stage is silent at most so long; the guard ends it otherwise. */
export type TurnEnd =
  | { readonly kind: 'ended'; readonly exit: ExitRecord }
  | { readonly kind: 'not_started'; readonly judgement: TurnJudgement };

/** The worktree cannot be put in order: the agent is not started. */
class WorktreeNotReady extends Error {
  override readonly name = 'WorktreeNotReady';

  constructor(
    readonly trouble: TurnTrouble,
    options?: ErrorOptions,
  ) {
    super(trouble.outcome.kind, options);
  }
}

export async function startOrAttach(context: TurnContextOnHost, turn: PreparedTurn): Promise<TurnEnd> {
  const { deps, run, input, place, signals } = context;
  const { limits } = run.record.policy;
  const stdin = join(place.dir, PROMPT_FILE);
  writeMark(stdin, turn.command.stdin, deps.durability);
  try {
    const end = await deps.processes.run(
      {
        token: input.place.token,
        group: groupOf(run),
        inputHash: place.inputHash,
        argv: turn.command.argv,
        cwd: run.record.worktree,
        env: turn.command.env,
        stdin,
        dir: place.dir,
        limits: {
          timeoutMs: turn.request.stagePolicy.timeoutMs,
          stallMs: limits.stallMs,
          killGraceMs: limits.killGraceMs,
          outputBytes: limits.outputBytes,
        },
      },
      { prepare: () => prepareWorktree(context), cancel: signals.cancel, detach: signals.detach },
    );
    if (end.kind === 'ended') return { kind: 'ended', exit: end.exit };
    const why = `the agent was started ${end.starts} times and every start was lost; see the turn's stderr`;
    return notStarted({ outcome: { kind: 'crash_loop', why }, observations: [] });
  } catch (err) {
    if (err instanceof WorktreeNotReady) return notStarted(err.trouble);
    if (err instanceof StartRefused && err.code !== 'mark_not_written' && err.code !== 'spawn_failed') {
      throw badAgent(`the agent of stage ${input.stage} cannot be started: ${err.message}`);
    }
    if (signals.cancel.aborted) throw new DetachedError('aborted', { cause: err });
    throw err;
  }
}

async function prepareWorktree(context: TurnContextOnHost): Promise<void> {
  // The one is about the worktree, the other about what lies around it.
  await Promise.all([putWorktreeInOrder(context), lookBefore(context)]);
  context.deps.failpoint('turn.before-start');
}

async function putWorktreeInOrder(context: TurnContextOnHost): Promise<void> {
  try {
    await restoreIfNeeded(context);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    throw trouble === null ? err : new WorktreeNotReady(trouble, { cause: err });
  }
}

async function restoreIfNeeded(context: TurnContextOnHost): Promise<void> {
  const { git, input, run } = context;
  const inPlace =
    (await moveBranchBack(context)) &&
    (await git.standsAt(input.expectedHead)) &&
    (await git.root()).kind === 'whole' &&
    (await git.changes()).length === 0;
  // What an interrupted start of the agent committed in this worktree goes too; only a branch that somebody else holds stops the turn.
  const restored = inPlace ? null : await git.restore(input.expectedHead);
  if (restored?.kind === 'branch_elsewhere') {
    const { actual } = restored;
    const why = `${run.record.branch} stands at ${actual?.slice(0, 12) ?? 'nothing'}, not at ${input.expectedHead.slice(0, 12)}, and not at a commit of this run`;
    const elsewhere = actual === null ? {} : { elsewhere: actual };
    throw new WorktreeNotReady({ outcome: { kind: 'repository_changed', why }, ...elsewhere, observations: [] });
  }
}

function notStarted({ outcome, elsewhere, observations }: TurnTrouble): TurnEnd {
  const judgement: TurnJudgement = {
    outcome,
    ...(elsewhere === undefined ? {} : { elsewhere }),
    observations,
    decision: null,
    planned: null,
    restore: false,
    rolledBack: [],
    output: null,
    usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
    exitCode: null,
    durationMs: 0,
    endedAt: new Date().toISOString(),
  };
  return { kind: 'not_started', judgement };
}
