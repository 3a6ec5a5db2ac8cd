/** Starts the agent under the guard or attaches to the one that is at work. The worktree is put in order just before a start, never under a live agent. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runTurnCommand } from '../checks/own-commands.js';
import { type CommandEnd, DetachedError, type ExitRecord, StartRefused } from '../process/contract.js';
import { CLAIM_FILE, STDOUT_FILE } from '../process/marks.js';
import { tellingText, type WatchedTurn } from '../unit/live-text.js';
import { tellingWork } from '../unit/tell-work.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import { type ReadyAgent, readyAgent } from './agent-start.js';
import { findClosedAccount, triedIn } from './closed-account.js';
import { NOTHING, type TurnJudgement } from './judge-turn.js';
import { putWorktreeInOrder, WorktreeNotReady } from './order-worktree.js';
import { refusePlugins } from './repository-plugins.js';
import { lookAgain, lookBefore } from './surroundings.js';
import { badAgent } from './turn-failures.js';
import type { PreparedTurn } from './turn-request.js';
import type { TurnTrouble } from './turn-trouble.js';

/** A stage is silent at most so long; the guard ends it otherwise. */
export type TurnEnd =
  | { readonly kind: 'ended'; readonly exit: ExitRecord }
  | { readonly kind: 'not_started'; readonly judgement: TurnJudgement };

export async function startOrAttach(context: TurnOnHost, turn: PreparedTurn): Promise<TurnEnd> {
  const { input, signals } = context;
  const start = readyTurn(context, turn);
  try {
    const end = await start();
    if (end.kind === 'ended') return { kind: 'ended', exit: end.exit };
    const why = `the agent was started ${end.starts} times and every start was lost; see the turn's stderr`;
    return notStarted({ outcome: { kind: 'crash_loop', why }, observations: [] }, true);
  } catch (err) {
    // Of a start that was lost nobody knows what it used; where there was none, nothing was.
    if (err instanceof WorktreeNotReady)
      return notStarted(err.trouble, existsSync(join(context.place.dir, CLAIM_FILE)));
    if (err instanceof StartRefused && err.code !== 'mark_not_written' && err.code !== 'spawn_failed') {
      throw badAgent(`the agent of stage ${input.stage} cannot be started: ${err.message}`);
    }
    if (signals.cancel.aborted) throw new DetachedError('aborted', { cause: err });
    throw err;
  }
}

/** Answers what starts it, or attaches to it. */
function readyTurn(context: TurnOnHost, turn: PreparedTurn): () => Promise<CommandEnd> {
  const { workplace, place, signals } = context;
  const { command, request } = turn;
  const { config, stagePolicy } = request;
  const cwd = workplace.git.worktree;
  const { agent, timeoutMs } = stagePolicy;
  const ready = readyAgent(context, { agent, config, command, cwd, timeoutMs });
  const prepare = () => prepareWorktree(context, turn, ready);
  const hooks = { prepare, cancel: signals.cancel, detach: signals.detach };
  const stdout = join(place.dir, STDOUT_FILE);
  const watched = { kind: 'agent', command: null, stdout, glance: turn.adapter.glance ?? null } as const;
  const text = watchedText(context, watched);
  return () =>
    tellingWork(context.teller, watched, () => tellingText(text, () => runTurnCommand(context, ready.spec, hooks)));
}

function watchedText(
  { teller, input }: TurnOnHost,
  { stdout, glance }: Pick<WatchedTurn, 'stdout' | 'glance'>,
): WatchedTurn | null {
  if (teller === null) return null;
  const file = teller.liveFile({ seq: input.place.seq, stage: input.stage });
  return { stdout, glance, redactor: teller.redactor, file };
}

async function prepareWorktree(context: TurnOnHost, turn: PreparedTurn, ready: ReadyAgent): Promise<void> {
  const closed = await findClosedAccount(triedIn(context));
  if (closed !== null) throw new WorktreeNotReady({ outcome: closed, observations: [] });
  // The one is about the worktree, the other about what lies around it; only a set-up changes both.
  const [wasSetUp] = await Promise.all([putWorktreeInOrder(context), lookBefore(context)]);
  if (wasSetUp) await lookAgain(context);
  const { sandbox, worktree } = context.run.record;
  if (sandbox.kind !== 'inside') await refusePlugins(turn.request.config, worktree);
  await ready.enter();
  context.deps.failpoint('turn.before-start');
}

const NOTHING_USED = { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 } as const;

/** `started`: an agent was at this place, and was lost. */
function notStarted({ outcome, elsewhere = null, observations }: TurnTrouble, started: boolean): TurnEnd {
  const judgement: TurnJudgement = {
    ...NOTHING,
    outcome,
    said: outcome,
    elsewhere,
    started,
    observations,
    decision: null,
    request: null,
    findings: null,
    conversation: null,
    denied: 0,
    promptCut: false,
    promptSha256: null,
    output: null,
    usage: started ? { tokensIn: null, tokensOut: null, costMicroUsd: null } : NOTHING_USED,
    exitCode: null,
    durationMs: 0,
    endedAt: new Date().toISOString(),
  };
  return { kind: 'not_started', judgement };
}
