/** What a person decides about at a gate, as rows of a screen. Pure; foreign text leaves printable. */
import type { StageUse } from '../../../protocol/messages/stage-use.js';
import type { Gate } from '../../../protocol/run/gate.js';
import type { ShownReview } from '../../../protocol/views/review-text.js';
import type { GateFacts, GatePart } from '../../look/gate-facts.js';
import { checkText, type ShownChecks } from '../../look/run-parts.js';
import type { ChangedFile } from '../../repository.js';
import { foreign } from '../../views/foreign.js';
import type { GateRow } from '../../views/gate-text.js';
import { costText } from '../../views/stage-costs.js';

/** What prints the same. */
export function lookingCommand(part: GatePart, runId: string): string {
  return part === 'diff' ? `sluice diff ${foreign(runId)}` : `sluice show ${foreign(runId)} ${part}`;
}

const MAX_PLAN_LINES = 6;
const MAX_FILES = 4;
const MAX_FINDINGS = 4;

/** Rows of a screen; foreign text leaves printable. The plan is shown as long as nothing is changed. */
export function factRows(facts: GateFacts | null, { commit }: Gate): readonly GateRow[] {
  if (facts === null) return [];
  const { plan, files, checks, review, used } = facts;
  const isChanged = files !== null && files.length > 0;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['plan', plan === null || isChanged ? [] : headOf(plan)],
    ['changes', isChanged ? changeLines(files) : []],
    ['checks', checks === null ? [] : checkLines(checks, commit)],
    ['review', review === null ? [] : reviewLines(review, commit)],
    ['cost', costLines(used)],
  ];
  return rows.flatMap(([name, lines]) =>
    lines.map((line, index) => ({ name: index === 0 ? name : '', text: foreign(line) })),
  );
}

function headOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const more = lines.length > MAX_PLAN_LINES ? [`… ${lines.length - MAX_PLAN_LINES} more lines`] : [];
  return [...lines.slice(0, MAX_PLAN_LINES), ...more];
}

function changeLines(files: readonly ChangedFile[]): readonly string[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const head = `${files.length} ${files.length === 1 ? 'file' : 'files'}, +${sum(files.map((file) => file.insertions))} -${sum(files.map((file) => file.deletions))}`;
  const shown = files
    .slice(0, MAX_FILES)
    .map(({ path, insertions, deletions }) => `${path}  +${insertions} -${deletions}`);
  const more = files.length > shown.length ? [`… ${files.length - shown.length} more`] : [];
  return [head, ...shown, ...more];
}

function checkLines({ commit: checked, commands }: ShownChecks, commit: string | null): readonly string[] {
  if (commands.length === 0) return ['none are configured'];
  const marks = commands.map((check) => `${check.status === 'passed' ? '✓' : '✗'} ${checkText(check)}`);
  return [...marks, ...ofAnother(checked, commit)];
}

function reviewLines({ decision, commit: judged, findings }: ShownReview, commit: string | null): readonly string[] {
  const shown = findings.slice(0, MAX_FINDINGS);
  const more = findings.length > shown.length ? [`… ${findings.length - shown.length} more findings`] : [];
  return [decision ?? 'without a decision', ...shown, ...more, ...ofAnother(judged, commit)];
}

/** What was said of a tree that changed since. */
function ofAnother(told: string | null, commit: string | null): readonly string[] {
  return told === null || commit === null || told === commit ? [] : [`(that was about ${told.slice(0, 12)})`];
}

function costLines(used: readonly StageUse[]): readonly string[] {
  const turns = used.reduce((total, { turns: count }) => total + count, 0);
  if (turns === 0) return [];
  const sum = (field: 'tokensIn' | 'tokensOut' | 'costMicroUsd') =>
    used.reduce<number | null>(
      (total, { [field]: value }) => (total === null || value === null ? null : total + value),
      0,
    );
  const use = { tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut'), costMicroUsd: sum('costMicroUsd') };
  const cost = costText({ stage: '', turns: 1, agentMs: 0, ...use });
  return [[`${turns} ${turns === 1 ? 'turn' : 'turns'}`, ...(cost === null ? [] : [cost])].join(', ')];
}
