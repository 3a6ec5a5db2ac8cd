/**
 * The last words of `run` and `watch`: what came out, why, where to look and what to do next. Pure.
 * Points to review.md and verification.md for a blocked run (V-82), to events.jsonl and the turn's stream log for a failed one (V-83).
 */
import { join } from 'node:path';
import type { createColors } from 'picocolors';
import type { RunResult } from '../../protocol/messages.js';
import type { DiffStat } from '../repository.js';
import { foreign } from './io.js';
import { removalCommands } from './removal-commands.js';
import type { RunEnd } from './run-end.js';

export interface SummaryFacts {
  readonly runId: string;
  readonly title: string | null;
  readonly runDir: string | null;
  readonly worktree: string | null;
  readonly baseBranch: string | null;
  readonly diff: DiffStat | null;
  /** Folder of the last turn below the run directory, where its stream log lies. */
  readonly lastTurn: string | null;
  /** Files that are really there; a summary never points to a missing one. */
  readonly files: ReadonlySet<string>;
  readonly noChecksRan: boolean;
}

type Colors = ReturnType<typeof createColors>;

export function renderEnd(end: RunEnd, facts: SummaryFacts, colors: Colors): string[] {
  const title = facts.title === null ? '' : `  ${foreign(facts.title)}`;
  switch (end.kind) {
    case 'closed':
      return renderResult(end.result, facts, colors);
    case 'detached':
      return [`Detached; the run goes on. Come back with: sluice watch ${facts.runId}`];
    case 'server_away':
      return [
        `The server stays away; the run ${facts.runId} goes on when it is back.`,
        `Come back with: sluice up && sluice watch ${facts.runId}`,
      ];
    case 'aborted':
      return [`${colors.yellow('aborted')}${title}`, row('reason', foreign(end.message)), ...placeRows(facts)];
    case 'failed':
      return [`${colors.red('failed')}${title}`, row('reason', foreign(end.message)), ...lookRows('failed', facts)];
    case 'refused':
      return [];
  }
}

/** The object of `--json`: `{"kind":"ended",…}`. */
export function endObject(end: RunEnd, facts: SummaryFacts): Record<string, unknown> {
  const base = { kind: 'ended', runId: facts.runId, end: end.kind };
  switch (end.kind) {
    case 'closed':
      return { ...base, ...end.result, title: facts.title, worktree: facts.worktree, runDir: facts.runDir, diff: facts.diff };
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

function renderResult(result: RunResult, facts: SummaryFacts, colors: Colors): string[] {
  const paint = paintOf(result, colors);
  const reason = result.blockedReason === null || result.outcome === 'no_changes' ? '' : `: ${result.blockedReason}`;
  const lines = [`${paint(`${result.outcome}${reason}`)}${facts.title === null ? '' : `  ${foreign(facts.title)}`}`];
  if (result.error !== null) lines.push(row('reason', foreign(result.error)));
  if (result.branch !== null) lines.push(row('branch', `${foreign(result.branch)}${diffNote(facts.diff)}`));
  if (result.verdict !== null) lines.push(row('verdict', `${result.verdict}${facts.noChecksRan ? ' (no checks ran)' : ''}`));
  if (result.report !== null) lines.push(row('report', foreign(result.report)));
  lines.push(...lookRows(result.outcome, facts), ...nextRows(result, facts));
  return lines;
}

function paintOf({ outcome }: RunResult, colors: Colors): (text: string) => string {
  if (outcome === 'merge_ready') return colors.green;
  return outcome === 'failed' ? colors.red : colors.yellow;
}

function lookRows(outcome: string, facts: SummaryFacts): string[] {
  const names = outcome === 'failed' ? ['events.jsonl', ...streamOf(facts)] : ['review.md', 'verification.md', 'validation.json'];
  if (outcome === 'merge_ready' || outcome === 'no_changes' || facts.runDir === null) return [];
  const { runDir } = facts;
  return names.filter((name) => facts.files.has(name)).map((name) => row('look at', foreign(join(runDir, name))));
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
    return [row('next', `sluice diff ${runId}`), row('', `git merge ${foreign(result.branch)}`)];
  }
  const rows = [row('next', `sluice logs ${runId}`)];
  if (result.branch !== null && facts.diff?.files !== 0) rows.push(row('', `sluice diff ${runId}`));
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
