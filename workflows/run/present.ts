/** Shows the state of a run in lists (memo, search attributes) and in the Web UI (details). Each upsert is one event, so only changes go out. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { BudgetUse, RunView } from '../../protocol/messages/run-view.js';
import { quotaGateId, type SearchAttributeName } from '../../protocol/names.js';
import type { Gate } from '../../protocol/run/gate.js';
import { isTerminal } from '../../protocol/run/lifecycle.js';
import { printable } from '../../protocol/text/printable.js';
import { gateCommand } from '../gates/gate-book.js';
import type { RunState } from './run-state.js';

const key = (name: SearchAttributeName) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const STATUS = key('SluiceStatus');
const PROJECT = key('SluiceProject');
const PRESET = key('SluicePreset');
const WAITING = key('SluiceWaiting');

export class Presenter {
  private shown = '';
  private projectShown = false;

  constructor(private readonly run: RunState) {}

  show(): void {
    const view = this.run.view();
    setCurrentDetails(details(view, this.run.gates.open));
    const waiting = view.waiting?.kind ?? null;
    // At a quota gate the time may change while the run waits.
    const until = view.waiting?.account === null ? '' : (view.waiting?.until ?? '');
    const now = `${view.status} ${waiting ?? ''} ${until} ${this.run.people.title === titleOf(this.run.input) ? '' : view.title}`;
    // Before it is open its starter has named it; a run that ends without that says how.
    if ((this.run.opened === null && !isTerminal(view.status)) || now === this.shown) return;
    this.shown = now;
    upsertMemo(memo(view, this.run.used));
    if (this.run.opened?.searchAttributes === true) this.upsertAttributes(view, waiting);
  }

  private upsertAttributes(view: RunView, waiting: string | null): void {
    const changing = [
      { key: STATUS, value: view.status },
      { key: WAITING, value: waiting },
    ];
    const fixed = [
      { key: PROJECT, value: this.run.project },
      { key: PRESET, value: view.preset },
    ];
    upsertSearchAttributes(this.projectShown ? changing : [...changing, ...fixed]);
    this.projectShown = true;
  }
}

/** What `sluice list` reads with one visibility call; small, since the server warns at 2 KiB. */
function memo(view: RunView, { microUsd }: BudgetUse): Record<string, unknown> {
  return {
    status: view.status,
    stage: view.stage,
    waiting: view.waiting,
    since: view.updatedAt,
    round: view.reviewLoopCount,
    costMicroUsd: microUsd === 0 ? null : microUsd,
    title: view.title,
    repo: view.repo,
    branch: view.branch,
    host: view.host,
    outcome: view.outcome,
    reason: view.blockedReason,
  };
}

function details(view: RunView, gate: Gate | null): string {
  const lines = [
    `**${view.status}**${view.stage === null ? '' : ` · stage ${view.stage}, round ${view.reviewLoopCount} of ${view.maxReviewLoops}`}`,
    view.agent === null ? '' : `agent: ${view.agent.name}${view.agent.adapter === 'scripted' ? ' (scripted)' : ''}`,
    view.waiting === null
      ? ''
      : `waiting for: ${view.waiting.kind}${accountText(view.waiting)}${view.waiting.until === null ? '' : ` until ${view.waiting.until}`}`,
    gate === null ? '' : gateLines(gate, view.workflowId),
    view.status === 'paused'
      ? `resume it: \`sluice resume ${view.runId}\` or \`temporal workflow signal --workflow-id ${view.workflowId} --name resume\``
      : '',
    view.pauseRequested ? 'a pause is asked for; it comes at the next stage boundary' : '',
    view.branch === null ? '' : `branch: \`${view.branch}\` at \`${view.headSha ?? '-'}\``,
    view.worktree === null ? '' : `worktree: \`${view.worktree}\``,
    view.error === null ? '' : `${view.blockedReason ?? 'error'}: ${plain(view.error)}`,
  ];
  return printable(lines.filter((line) => line !== '').join('\n\n')).slice(0, 8_000);
}

function accountText({ account }: NonNullable<RunView['waiting']>): string {
  return account === null ? '' : ` of ${plain(account)} (its gate: \`${quotaGateId(account)}\`)`;
}

/** With the exact commands that decide it, by our CLI and by Temporal's. */
function gateLines(gate: Gate, workflowId: string): string {
  const signal = gate.question
    ? `--name answer --input '{"text":"…"}'`
    : `--name approve --input '{"gate":"${gate.id}"}'`;
  return [
    `**${gate.id}** before ${gate.stage} (risk ${gate.riskLevel}): ${plain(gate.reason)}`,
    ...(gate.files.length === 0 ? [] : [`files: ${plain(gate.files.slice(0, 10).join(', '))}`]),
    `decide it: \`${gateCommand(gate)}\``,
    `or: \`temporal workflow signal --workflow-id ${workflowId} ${signal}\``,
  ].join('\n\n');
}

/** Text of agents and people must not look like ours: no marks, no links, no code. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]()<>!#|~]/g, (mark) => `\\${mark}`);
}
