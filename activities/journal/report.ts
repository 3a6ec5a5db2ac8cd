/** Renders report.md, which a person reads when a run has closed: what came out, what changed, who worked, who decided, what was checked, how to go on. Pure. */
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import type { CommandResult, ValidationReport, Verdict } from '../../protocol/run/outcomes.js';
import type { BudgetPolicy } from '../../protocol/run/policy.js';
import { printable, printableLine } from '../../protocol/text/printable.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import type { Metrics } from '../../protocol/views/metrics.js';
import { block, bullets, code, duration, field, quote, short, table } from './markdown.js';
import { budgetSection, failedAttempts, gatesSection, listPeopleNotes, roundsSection } from './report-history.js';

export interface FileChange {
  readonly path: string;
  /** Null for binary files. */
  readonly added: number | null;
  readonly deleted: number | null;
}

/** `why`: a sentence. */
export type ReportedChanges =
  | { readonly kind: 'listed'; readonly files: readonly FileChange[] }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface ReportInput {
  readonly view: RunView;
  readonly events: readonly JournalEvent[];
  readonly validation: ValidationReport | null;
  readonly changes: ReportedChanges;
  /** Of the last review, one line each. */
  readonly findings: readonly string[];
  /** Sentences: what happened to the run's own files. */
  readonly notes: readonly string[];
  readonly metrics: Metrics;
  readonly budget: BudgetPolicy;
  readonly verdict: Verdict;
  readonly verdictReasons: readonly string[];
}

const MAX_LISTED_FILES = 50;

export function renderReport(input: ReportInput): string {
  const { view } = input;
  const sections = [
    `# ${view.outcome ?? view.status}: ${printableLine(view.title)}`,
    summary(input),
    `## Task\n\n${quote(view.task)}`,
    `## What changed\n\n${changes(input.changes)}`,
    `## Stages\n\n${stages(input.events)}`,
    `## Validation\n\n${validation(input.validation)}`,
    `## Rounds\n\n${roundsSection(input)}`,
    `## Decisions\n\n${decisions(input.events)}`,
    ...openFindings(input),
    ...gatesSection(input.events),
    ...listPeopleNotes(input.events),
    ...failedAttempts(input.events),
    `## Budget\n\n${budgetSection(input)}`,
    ...violations(input.events),
    ...(input.notes.length === 0 ? [] : [`## Notes\n\n${bullets(input.notes)}`]),
    `## Assurance: ${input.verdict}\n\n${bullets(input.verdictReasons)}`,
    `## How to look\n\n${howToLook(view)}`,
    `## How to go on\n\n${howToGoOn(input)}`,
  ];
  return `${printable(sections.join('\n\n'))}\n`;
}

function summary({ view, metrics, verdict }: ReportInput): string {
  const lines = [
    `Run ${code(view.runId)}, verdict ${verdict}, ${duration(metrics.wallMs)} (agents ${duration(metrics.agentMs)}).`,
  ];
  if (view.blockedReason !== null) lines.push(`Blocked: ${view.blockedReason}.`);
  if (view.error !== null) lines.push(printableLine(view.error));
  if (view.branch !== null)
    lines.push(`Branch ${code(view.branch)}, from ${code(view.baseBranch ?? 'base')} at ${code(short(view.baseSha))}.`);
  return lines.join('\n');
}

function changes(reported: ReportedChanges): string {
  if (reported.kind === 'unreadable') return `The list cannot be shown: ${printableLine(reported.why)}`;
  const { files } = reported;
  if (files.length === 0) return 'Nothing.';
  const added = files.reduce((total, file) => total + (file.added ?? 0), 0);
  const deleted = files.reduce((total, file) => total + (file.deleted ?? 0), 0);
  const rows = files
    .slice(0, MAX_LISTED_FILES)
    .map((file) => [code(file.path), file.added === null ? 'binary' : `+${file.added} -${file.deleted ?? 0}`]);
  const more = files.length > MAX_LISTED_FILES ? `\n\nAnd ${files.length - MAX_LISTED_FILES} more.` : '';
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}, +${added} -${deleted}.\n\n${table(['File', 'Lines'], rows)}${more}`;
}

function stages(events: readonly JournalEvent[]): string {
  const rows = events
    .filter((event) => event.type === 'turn.completed' || event.type === 'turn.failed')
    .map(({ data }) => {
      const label = data['adapter'] === 'scripted' ? ' (scripted)' : '';
      const time = typeof data['durationMs'] === 'number' ? duration(data['durationMs']) : '';
      return [
        field(data['seq']),
        field(data['stage']),
        field(data['round']),
        `${field(data['agent'])}${label}`,
        field(data['outcome']),
        time,
      ];
    });
  return rows.length === 0 ? 'No agent worked.' : table(['Turn', 'Stage', 'Round', 'Agent', 'Outcome', 'Time'], rows);
}

/** False: no validation was reached, or none had a command. */
export function hasChecks(report: ValidationReport | null): boolean {
  return report !== null && report.commands.length > 0;
}

function validation(report: ValidationReport | null): string {
  if (report === null || !hasChecks(report)) {
    return `No checks ran.${report?.note == null ? '' : ` ${printableLine(report.note)}`}`;
  }
  const rows = report.commands.map((result) => [
    code(result.command),
    verdictOf(result),
    duration(result.durationMs),
    code(result.stdoutPath),
  ]);
  const notes = [
    report.treeChanged ? 'The commands changed tracked files, which counts as a failure.' : null,
    report.note,
  ];
  const text = notes.filter((note) => note !== null).map((note) => `\n\n${printableLine(note)}`);
  return `On commit ${code(short(report.commit))}, round ${report.round}.\n\n${table(['Command', 'Result', 'Time', 'Output'], rows)}${text.join('')}`;
}

function verdictOf(result: CommandResult): string {
  if (result.status === 'environment') return 'could not run';
  const how = result.timedOut ? 'timed out' : `exit ${result.exitCode ?? 'unknown'}`;
  return `${result.status} (${how}${result.failedOnBase ? ', red on the base too' : ''})`;
}

function decisions(events: readonly JournalEvent[]): string {
  const lines = events
    .filter((event) => event.type === 'review.decision' || event.type === 'verification.decision')
    .map(({ type, data }) => {
      const what = type === 'review.decision' ? 'Review' : 'Verification';
      const commit = typeof data['commit'] === 'string' ? ` on ${code(short(data['commit']))}` : '';
      return `${what}, round ${field(data['round'])}: ${field(data['value'])} by ${field(data['source'])}${commit}`;
    });
  return lines.length === 0 ? 'None.' : bullets(lines);
}

/** What a person must know of a change that was not taken. */
function openFindings({ view, findings }: ReportInput): readonly string[] {
  if (view.outcome !== 'blocked' || findings.length === 0) return [];
  return [`## Open findings\n\n${bullets(findings.map(printableLine))}\n\nIn full: \`review.md\` beside this report.`];
}

function violations(events: readonly JournalEvent[]): readonly string[] {
  const lines = events.filter((event) => event.type === 'policy.violation').map((event) => event.message);
  return lines.length === 0 ? [] : [`## Policy violations\n\n${bullets(lines)}`];
}

function howToLook(view: RunView): string {
  if (view.branch === null || view.baseSha === null) return block([`sluice logs ${view.runId}`]);
  return block([
    `git diff ${view.baseSha}..${shellWord(view.branch)}`,
    `sluice diff ${view.runId}`,
    `sluice logs ${view.runId}`,
  ]);
}

function howToGoOn({ view, changes: reported }: ReportInput): string {
  const isEmpty = reported.kind === 'listed' && reported.files.length === 0;
  if (view.outcome === 'merge_ready' && view.branch !== null && !isEmpty) {
    return `The branch is ready to merge:\n\n${block([`sluice land ${view.runId}`])}\n\nOr with git alone:\n\n${block([`git merge ${shellWord(view.branch)}`])}`;
  }
  if (view.outcome === 'merge_ready') return 'The run changed no files; read what it wrote beside this report.';
  if (view.outcome === 'failed') {
    return `\`events.jsonl\` beside this report says what failed; the agent's own output is in \`turns/<seq>-<stage>/stream.jsonl\`. To start again where it ended:\n\n${block([`sluice rewind ${view.runId}`])}`;
  }
  if (view.outcome === 'no_changes')
    return 'The agent changed nothing. Say the task in other words, or take it as done.';
  if (view.outcome === 'aborted') return howToRemove(view);
  return `The branch stays as it is. See the reason above, then start again where it ended:\n\n${block([`sluice rewind ${view.runId}`])}`;
}

/** Source: V-72. The worktree first: git keeps a branch that is checked out. */
function howToRemove({ runId, worktree, branch }: RunView): string {
  const git = [
    ...(worktree === null ? [] : [`git worktree remove --force ${shellWord(worktree)}`]),
    ...(branch === null ? [] : [`git branch -D ${shellWord(branch)}`]),
  ];
  const said = 'The run was ended by a person. Its branch and worktree stay as they are. To remove what it left:';
  const byHand = git.length === 0 ? '' : `\n\nOr with git alone:\n\n${block(git)}`;
  return `${said}\n\n${block([`sluice clean ${runId} --give-up`])}${byHand}`;
}
