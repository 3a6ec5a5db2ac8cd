/** The last steps of a turn before its record: what people read of it, and the answer to the workflow. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { TurnEndedData } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import { TURN_OUTCOMES, type TurnOutcome } from '../../protocol/run/outcomes.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import type { TurnUsage } from '../agent/contract.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import { violation } from '../checks/check-change.js';
import { readClaim, readExit } from '../process/marks.js';
import { eitherOf } from '../unit/attempts.js';
import { fitResult } from '../unit/fit-result.js';
import { projectionOf, takeFound } from '../unit/run-projection.js';
import { redactorOf, toldWithoutValues } from '../unit/run-redactor.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import type { TurnJudgement } from './judge-turn.js';
import { foundInWorktree } from './order-worktree.js';
import { findingsShown } from './review-findings.js';
import type { SettledTurn } from './settle-turn.js';
import { type ShownPrompt, shownPrompt } from './shown-prompt.js';
import { configOf } from './turn-request.js';

export interface FinishedTurn {
  readonly judgement: TurnJudgement;
  readonly settled: SettledTurn;
  readonly text: string;
  readonly journalSeq: number;
  /** Violations found before the turn began. */
  readonly foreign: readonly Observation[];
}

/** Order: artifact and projection first, so that nothing announces a file that is not there (V-99). */
export async function publishTurn(context: TurnOnHost, turn: FinishedTurn): Promise<RunTurnResult> {
  const { judgement, settled, text, journalSeq, foreign } = turn;
  const redactor = redactorOf(context.run);
  const outcome = cleaned(settled.outcome, redactor);
  const ended = endedData(context, judgement, outcome);
  const prompt = await shownPrompt(context.place.dir, judgement.promptSha256);
  await projectTurn(context, { judgement, settled, text, ended, prompt });
  context.deps.failpoint('turn.after-projection');
  const observations = toldWithoutValues(context.run, [
    ...foreign,
    endedObservation(judgement, ended, outcome),
    ...judgement.observations,
    ...settled.observations,
    ...foundInWorktree(context),
    ...foundObservations(context),
    ...(prompt.isGiven ? [] : [forgedPrompt(context)]),
  ]);
  return fitResult({
    outcome,
    // The options of a permission are long: once is enough.
    said: judgement.said.kind === outcome.kind ? null : cleaned(judgement.said, redactor),
    head: settled.elsewhere ?? settled.head,
    decision: judgement.decision,
    output: judgement.output,
    rolledBack: judgement.rolledBack.length > 0,
    branchMoved: judgement.branchMoved,
    guarded: judgement.guarded.map(redactor.text),
    agent: ended.agent,
    exitCode: judgement.exitCode,
    durationMs: judgement.durationMs,
    observations,
    journalSeq,
    costMicroUsd: judgement.usage.costMicroUsd,
    tokens: tokensOf(judgement.usage),
    request: judgement.request,
    findings: judgement.findings,
    started: judgement.started,
  });
}

/** Null unless both are told: a part would read as the whole. */
function tokensOf({ tokensIn, tokensOut }: TurnUsage): number | null {
  return tokensIn === null || tokensOut === null ? null : tokensIn + tokensOut;
}

/** The agent or a person put something where the engine writes. It decides nothing, so nobody is asked. */
function foundObservations({ run, input }: TurnOnHost): readonly Observation[] {
  const data = { stage: input.stage, seq: input.place.seq, gate: false };
  return takeFound(run).map((message) => ({
    timestamp: new Date().toISOString(),
    type: 'repository.changed',
    message,
    data,
  }));
}

function forgedPrompt({ input }: TurnOnHost): Observation {
  const data = { rule: 'record', stage: input.stage, seq: input.place.seq, paths: [] } as const;
  return violation('what is kept of the prompt of this turn is not what its agent was given, and is not shown', data);
}

function endedData({ run, input }: TurnOnHost, judgement: TurnJudgement, outcome: TurnOutcome): TurnEndedData {
  const { policy } = run.record;
  const { agent, model } = stagePolicyOf(policy, input);
  const config = configOf(policy, agent);
  return {
    stage: input.stage,
    round: input.round,
    seq: input.place.seq,
    agent,
    adapter: config.adapter,
    model: model ?? config.model,
    exitCode: judgement.exitCode,
    outcome: outcome.kind,
    durationMs: judgement.durationMs,
    ...judgement.usage,
    denied: judgement.denied,
    promptCut: judgement.promptCut,
    started: judgement.started,
  };
}

function endedObservation(judgement: TurnJudgement, ended: TurnEndedData, outcome: TurnOutcome): Observation {
  const why = 'why' in outcome ? `: ${outcome.why}` : '';
  return {
    timestamp: judgement.endedAt,
    type: TURN_OUTCOMES[outcome.kind].event,
    message: `${ended.stage} turn ${outcome.kind}${refusedCalls(ended.denied)}${why}`.slice(0, MAX_SENTENCE_CHARS),
    data: ended,
  };
}

function refusedCalls(denied: number): string {
  return denied === 0 ? '' : ` (${denied} tool call(s) were refused)`;
}

async function projectTurn(
  context: TurnOnHost,
  turn: { judgement: TurnJudgement; settled: SettledTurn; text: string; ended: TurnEndedData; prompt: ShownPrompt },
): Promise<void> {
  const { deps, run, input, place } = context;
  const { judgement, settled, text, ended, prompt } = turn;
  const stdout = join(place.dir, 'stdout');
  const { outcome, exitCode, durationMs: _durationMs, ...about } = ended;
  const shown = {
    turn: {
      ...about,
      attempt: attempt(),
      conversationId: judgement.conversation?.id ?? null,
      startedAt: readExit(place.dir)?.startedAt ?? readClaim(place.dir)?.claimedAt ?? judgement.endedAt,
      endedAt: judgement.endedAt,
      exitCode,
      class: outcome,
    },
    prompt: prompt.text,
    output: text,
    streamPath: (await exists(stdout)) ? stdout : null,
    commit: settled.head,
    ...decisionsShown(judgement, input.ask),
    ...(await findingsShown(context, judgement, text)),
  };
  await projectionOf(deps, run).projectTurn(shown, eitherOf(context.signals));
}

/** An unreadable decision is shown once it counts: after it was asked for again, as the safe answer (V-33). */
function decisionsShown({ decision }: TurnJudgement, ask: 'work' | 'decision') {
  const final = ask === 'decision';
  if (decision === null) return { review: null, verification: null };
  switch (decision.kind) {
    case 'review':
      return { review: decision.value, verification: null };
    case 'verification':
      return { review: null, verification: decision.value };
    case 'unreadable':
      return { review: final ? ('BLOCKED' as const) : null, verification: final ? ('NEEDS_HUMAN' as const) : null };
  }
}

/** `why` may quote the agent, and names of files are its words too. */
function cleaned(outcome: TurnOutcome, redactor: Redactor): TurnOutcome {
  if (!('why' in outcome)) return outcome;
  const why = redactor.text(outcome.why).slice(0, MAX_SENTENCE_CHARS);
  return outcome.kind === 'guarded_paths'
    ? { ...outcome, why, paths: outcome.paths.map(redactor.text) }
    : { ...outcome, why };
}

function attempt(): number {
  return Context.current().info.attempt;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
