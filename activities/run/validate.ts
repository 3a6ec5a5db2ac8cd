/**
 * Runs the validation commands of trusted config on the commit, in a checkout of the engine's own.
 * Effects: one process a command, files below the sluice home and the run directory; the agent's worktree is not touched.
 * Idempotency: by place; each command has a sub-place, so a second attempt goes on at the first command without an exit.
 * Cancel: the running command is gone; its output stays.
 */
import type { CommandCompletedData } from '../../protocol/event-data.js';
import type { Observation } from '../../protocol/journal.js';
import type { ValidateInput, ValidateResult } from '../../protocol/messages.js';
import type { CommandResult, ValidationReport } from '../../protocol/outcomes.js';
import { isHostTrouble, isRepositoryBusy } from '../git/repository-busy.js';
import { GitError } from '../git/run-git.js';
import type { Signals } from './attempts.js';
import { attend } from './attend.js';
import { NO_COMMANDS, outcomeOfReport, statusOfExit, summarize } from './classify-validation.js';
import { flushJournal } from './flush-journal.js';
import type { HostDeps } from './host-deps.js';
import { hashOfInput, openPlaceFolder, readMark, readRecord, writePlaceMark, writeRecord } from './place-record.js';
import { publishValidation } from './publish-validation.js';
import { CommandCrashLoop, type CommandLineContext } from './run-command-line.js';
import { artifactsOf } from './run-projection.js';
import { readRun } from './run-record.js';
import { CheckoutSession, type CommandEndOnCheckout } from './validation-checkout.js';

const CHANGED_FILE = 'tree-changed.json';

export function createValidate(deps: HostDeps): (input: ValidateInput) => Promise<ValidateResult> {
  return (input) =>
    attend({ token: input.place.token, attempts: deps.attempts, isOpen: deps.isOpen }, (signals) => validate(deps, input, signals));
}

async function validate(deps: HostDeps, input: ValidateInput, signals: Signals): Promise<ValidateResult> {
  const run = readRun(deps.home, input.run);
  const { repoKey, runId, policy } = run.record;
  const dir = deps.home.turnDir(repoKey, runId, input.place);
  const place = await openPlaceFolder(dir, hashOfInput(input), deps.durability);
  const journalSeq = await flushJournal(deps, run, input.journal);
  const record = readRecord<ValidateResult>(place);
  if (record.kind === 'answer') return { ...record.value, journalSeq };
  const context: CommandLineContext = { deps, run, place, token: input.place.token, signals };
  const { report, ends } = await reportOf(context, input);
  await publishValidation(deps, run, { report, ends });
  const stored = await artifactsOf(deps, run).put(JSON.stringify(report), 'application/json');
  const result: ValidateResult = {
    outcome: outcomeOfReport(report, policy.validation.baseFailures),
    summary: report.summary,
    tree: report.tree,
    report: stored,
    observations: report.commands.map((command, index) => completed(command, input.round, ends[index]?.exit.endedAt)),
    journalSeq,
  };
  deps.failpoint('validate.before-record');
  writeRecord(place, result);
  return result;
}

interface ReportAndEnds {
  readonly report: ValidationReport;
  readonly ends: readonly CommandEndOnCheckout[];
}

async function reportOf(context: CommandLineContext, input: ValidateInput): Promise<ReportAndEnds> {
  const { commands } = context.run.record.policy.validation;
  const session = await CheckoutSession.open(context);
  const about = { round: input.round, commit: input.commit, tree: await session.checkout.tree(input.commit) };
  const ends: CommandEndOnCheckout[] = [];
  if (commands.length === 0)
    return { report: { ...about, commands: [], summary: summarize([]), treeChanged: false, note: NO_COMMANDS }, ends };
  try {
    const setupError = await session.runOn(input.commit, commands, (_, end) => ends.push(end));
    if (setupError !== null)
      return { report: { ...about, commands: [], summary: summarize([]), treeChanged: false, note: setupError }, ends: [] };
    const treeChanged = await changedOnce(context, session);
    const base = await redOnBase(session, { input, ends });
    const results = ends.map((end, index) => resultOf(end, { round: input.round, n: index + 1, failedOnBase: base.red.has(end.line) }));
    const notes = [...(treeChanged.length === 0 ? [] : [`tree_changed: ${treeChanged.slice(0, 10).join(', ')}`]), ...base.notes];
    const note = notes.length === 0 ? null : notes.join('; ');
    return { report: { ...about, commands: results, summary: summarize(results), treeChanged: treeChanged.length > 0, note }, ends };
  } catch (err) {
    const note = err instanceof CommandCrashLoop ? err.message : unusableCheckout(err);
    if (note === null) throw err;
    return { report: { ...about, commands: [], summary: summarize([]), treeChanged: false, note }, ends: [] };
  }
}

/** An object that an agent removed stays missing, however often it is asked for. Null: it may pass with time. */
function unusableCheckout(err: unknown): string | null {
  if (!(err instanceof GitError) || isRepositoryBusy(err) || isHostTrouble(err)) return null;
  return `the commit cannot be checked out for validation: ${err.result.stderr.split('\n', 1)[0] ?? ''}`;
}

/** Looked at once, before the checkout moves to the base: a later attempt finds the answer here. */
async function changedOnce(context: CommandLineContext, session: CheckoutSession): Promise<readonly string[]> {
  const known = readMark<readonly string[]>(context.place, CHANGED_FILE);
  if (known.kind === 'answer') return known.value;
  const changed = await session.checkout.changedTracked();
  writePlaceMark(context.place, CHANGED_FILE, changed);
  return changed;
}

interface RedOnBase {
  readonly red: ReadonlySet<string>;
  /** Why nothing is known of the base. */
  readonly notes: readonly string[];
}

/** Each red command runs once on the base commit, so that people see what the change broke and what was broken before. */
async function redOnBase(
  session: CheckoutSession,
  { input, ends }: { input: ValidateInput; ends: readonly CommandEndOnCheckout[] },
): Promise<RedOnBase> {
  const red = ends.filter((end) => statusOfExit(end.exit) === 'failed').map((end) => end.line);
  if (red.length === 0 || input.commit === input.baseSha) return { red: new Set(red), notes: [] };
  const failed = new Set<string>();
  const setupError = await session.runOn(input.baseSha, red, (_, end) => {
    if (statusOfExit(end.exit) === 'failed') failed.add(end.line);
  });
  return { red: failed, notes: setupError === null ? [] : [`not tried on the base commit: ${setupError}`] };
}

function resultOf(end: CommandEndOnCheckout, about: { round: number; n: number; failedOnBase: boolean }): CommandResult {
  const { exit, line } = end;
  return {
    command: line,
    exitCode: exit.exitCode,
    status: statusOfExit(exit),
    timedOut: exit.reason === 'timed_out',
    failedOnBase: about.failedOnBase,
    durationMs: Math.max(0, Date.parse(exit.endedAt) - Date.parse(exit.startedAt)),
    stdoutPath: `validation/${about.round}-${about.n}.stdout.txt`,
    stderrPath: `validation/${about.round}-${about.n}.stderr.txt`,
  };
}

function completed(command: CommandResult, round: number, endedAt: string | undefined): Observation {
  const data: CommandCompletedData = { ...command, round };
  return {
    timestamp: endedAt ?? new Date().toISOString(),
    type: 'validation.command.completed',
    message: `\`${command.command}\` ${command.status}${command.failedOnBase ? ' (red on the base too)' : ''}`,
    data,
  };
}
