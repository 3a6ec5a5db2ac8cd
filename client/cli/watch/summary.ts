/**
 * The last words of `run` and `watch`: what came out, why, where to look and what to do next. Pure.
 * Points to review.md and verification.md for a blocked run (V-82), to events.jsonl and the turn's stream log for a failed one (V-83).
 */
import { join } from 'node:path';
import type { createColors } from 'picocolors';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { DiffStat } from '../../repository.js';
import { removalCommands } from '../find/removal-commands.js';
import { foreign } from '../terminal/io.js';
import type { RunEnd } from './run-end.js';
import { storyLines } from './story-lines.js';

export interface SummaryFacts {
  readonly runId: string;
  readonly title: string | null;
  readonly runDir: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  /** What an open run waits for that a person must do, with the command; null where nothing. */
  readonly waits: string | null;
  readonly baseBranch: string | null;
  readonly diff: DiffStat | null;
  /** Folder of the last turn below the run directory, where its stream log lies. */
  readonly lastTurn: string | null;
  /** Files that are really there; a summary never points to a missing one. */
  readonly files: ReadonlySet<string>;
  readonly noChecksRan: boolean;
  /** Its journal, where its story is to be told; none else. */
  readonly events: readonly JournalEvent[];
}

type Colors = ReturnType<typeof createColors>;

export function renderEnd(end: RunEnd, facts: SummaryFacts, colors: Colors): string[] {
  const title = facts.title === null ? '' : `  ${foreign(facts.title)}`;
  switch (end.kind) {
    case 'closed':
      return [...storyLines(facts.events, colors), ...renderResult(end.result, facts, colors)];
    case 'detached':
      return [
        ...(facts.waits === null ? [] : [`It waits: ${facts.waits}`]),
        `Detached; the run goes on. Come back with: sluice watch ${facts.runId}`,
      ];
    case 'server_away':
      return [
        `The server stays away; the run ${facts.runId} goes on when it is back.`,
        `Come back with: sluice up && sluice watch ${facts.runId}`,
      ];
    case 'aborted':
      return [
        ...storyLines(facts.events, colors),
        `${colors.yellow('aborted')}${title}`,
        row('reason', foreign(end.message)),
        ...placeRows(facts),
        ...removeRows(facts.branch, facts),
      ];
    case 'failed':
      return [
        ...storyLines(facts.events, colors),
        `${colors.red('failed')}${title}`,
        row('reason', foreign(end.message)),
        ...lookRows({ outcome: 'failed', blockedReason: null }, facts),
      ];
    case 'refused':
      return [];
  }
}

/** The object of `--json`: `{"kind":"ended",…}`. */
export function endObject(end: RunEnd, facts: SummaryFacts): Record<string, unknown> {
  const base = { kind: 'ended', runId: facts.runId, how: end.kind };
  switch (end.kind) {
    case 'closed':
      return closedObject(end.result, facts);
    case 'refused':
      return { ...base, outcome: null, failure: end.type, error: end.message };
    case 'failed':
    case 'aborted':
      return { ...base, outcome: end.kind, error: end.message };
    case 'detached':
    case 'server_away':
      return { ...base, outcome: null, error: null };
  }
}

/** Null: not known. */
type KnownResult = { readonly [Key in keyof Omit<RunResult, 'failure'>]: RunResult[Key] | null };

type Place = Pick<SummaryFacts, 'title' | 'worktree' | 'runDir' | 'diff'>;

function closedObject(result: KnownResult, { title, worktree, runDir, diff }: Place): Record<string, unknown> {
  return { kind: 'ended', how: 'closed', ...result, title, worktree, runDir, diff };
}

/** The same of a closed run that its files alone tell of, with the same keys. */
export function endObjectOfView(view: RunView, { runDir, diff }: Pick<Place, 'runDir' | 'diff'>) {
  const { runId, outcome, blockedReason, error, branch, baseSha, headSha, merge, title, worktree } = view;
  const inView = { runId, outcome, blockedReason, error, branch, baseSha, headSha, merge };
  const beside = { verdict: null, report: null, source: null, isLanding: null, document: null };
  return closedObject({ ...inView, ...beside }, { title, worktree, runDir, diff });
}

function renderResult(result: RunResult, facts: SummaryFacts, colors: Colors): string[] {
  const paint = paintOf(result, colors);
  const reason = result.blockedReason === null || result.outcome === 'no_changes' ? '' : `: ${result.blockedReason}`;
  const lines = [`${paint(`${result.outcome}${reason}`)}${facts.title === null ? '' : `  ${foreign(facts.title)}`}`];
  if (result.error !== null) lines.push(row('reason', foreign(result.error)));
  if (result.branch !== null) lines.push(row('branch', `${foreign(result.branch)}${diffNote(facts.diff)}`));
  if (result.verdict !== null)
    lines.push(row('verdict', `${result.verdict}${facts.noChecksRan ? ' (no checks ran)' : ''}`));
  if (result.report !== null) lines.push(row('report', foreign(result.report)));
  lines.push(...lookRows(result, facts), ...unansweredRows(result), ...nextRows(result, facts));
  return lines;
}

function paintOf({ outcome }: RunResult, colors: Colors): (text: string) => string {
  if (outcome === 'merge_ready') return colors.green;
  return outcome === 'failed' ? colors.red : colors.yellow;
}

/** Source: V-82, V-83. */
function lookRows(
  { outcome, blockedReason }: Pick<RunResult, 'outcome' | 'blockedReason'>,
  facts: SummaryFacts,
): string[] {
  const judged = [
    ...(isAboutGate(blockedReason) ? ['approvals.json'] : []),
    'review.md',
    'verification.md',
    'validation.json',
  ];
  const names = outcome === 'failed' ? ['events.jsonl', ...streamOf(facts)] : judged;
  if (outcome === 'merge_ready' || outcome === 'no_changes' || facts.runDir === null) return [];
  const { runDir } = facts;
  return names.filter((name) => facts.files.has(name)).map((name) => row('look at', foreign(join(runDir, name))));
}

function isAboutGate(reason: RunResult['blockedReason']): boolean {
  return reason !== null && (reason.startsWith('approval_') || reason === 'needs_input');
}

/** What somebody wants to know whose run did not wait for them. */
function unansweredRows({ blockedReason }: RunResult): string[] {
  if (blockedReason !== 'approval_expired' && blockedReason !== 'needs_input') return [];
  return [
    row(
      'gate',
      'nobody decided it in time. A run that is started on a terminal waits; in a pipe, from a schedule or with --unattended',
    ),
    row(
      '',
      'gates expire after gates.unattendedExpire (at once if unset). "attended: true" in the config lets it wait there too',
    ),
  ];
}

function streamOf({ lastTurn }: SummaryFacts): string[] {
  return lastTurn === null ? [] : [`turns/${lastTurn}/stream.jsonl`];
}

function placeRows(facts: SummaryFacts): string[] {
  return facts.worktree === null ? [] : [row('worktree', foreign(facts.worktree))];
}

function nextRows(result: RunResult, facts: SummaryFacts): string[] {
  const { runId } = facts;
  if (result.outcome === 'merge_ready' && result.branch !== null && facts.diff?.files !== 0) {
    return [row('next', `sluice diff ${runId}`), row('', `sluice land ${runId}`)];
  }
  const rows = [row('next', `sluice logs ${runId}`)];
  if (result.branch !== null && facts.diff?.files !== 0) rows.push(row('', `sluice diff ${runId}`));
  if (result.outcome === 'blocked' || result.outcome === 'failed') rows.push(row('', `sluice rewind ${runId}`));
  return [...rows, ...(result.outcome === 'aborted' ? removeRows(result.branch, facts) : [])];
}

/** Source: V-72. */
function removeRows(branch: string | null, { worktree }: SummaryFacts): string[] {
  return removalCommands({ worktree, branch }).map((command, index) => row(index === 0 ? 'remove' : '', command));
}

function diffNote(diff: DiffStat | null): string {
  if (diff === null) return '';
  return `  ${diff.files} ${diff.files === 1 ? 'file' : 'files'} changed, +${diff.insertions} -${diff.deletions}`;
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(9)}${text}`;
}
