/**
 * Runs the validation commands of trusted config on the commit, in a checkout of the engine's own.
 * Effects: one process a command, files below the sluice home and the run directory; the agent's worktree is not touched.
 * Idempotency: by place; each command has a sub-place, so a second attempt goes on at the first command without an exit.
 * Errors: BadRepository where git cannot give the commit to anybody.
 * Cancel: the running command is gone; its output stays.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endingWith } from '../../config/system/ending-signal.js';
import type { CommandCompletedData } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { ValidateInput, ValidateResult } from '../../protocol/messages/messages.js';
import type { CommandResult } from '../../protocol/run/outcomes.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { ranMsOf } from '../process/ran-ms.js';
import { refusedHosts } from '../sandbox/refused-hosts.js';
import { type AtPlace, atPlace } from '../unit/at-place.js';
import { flushJournal } from '../unit/flush-journal.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import { artifactsOf } from '../unit/run-projection.js';
import { readRun } from '../unit/run-record.js';
import { redactorOf, toldWithoutValues } from '../unit/run-redactor.js';
import { keepingValidation } from '../unit/stage-progress.js';
import { NO_COMMANDS, outcomeOfReport, statusOfExit, summarize } from './classify-validation.js';
import { forgetCheckoutGit, leftObservations } from './own-commands.js';
import { publishValidation } from './publish-validation.js';
import { CommandCrashLoop } from './run-command-line.js';
import { CheckoutSession, type CommandEndOnCheckout } from './validation-checkout.js';
import { findingsOf, outputsOf, type ValidatedChecks } from './validation-findings.js';
import { validationImpossible } from './validation-trouble.js';

const CHANGED_FILE = 'tree-changed.json';

export function createValidate(deps: HostDeps): (input: ValidateInput) => Promise<ValidateResult> {
  return (input) =>
    atPlace(deps, {
      name: 'validate',
      input,
      find: () => readRun(deps.home, input.run),
      isSealed: false,
      work: (at) => endingWith(at.signals.cancel, () => keepingValidation(at, input, () => validate(at, input))),
    });
}

async function validate(context: AtPlace, input: ValidateInput): Promise<ValidateResult> {
  const { deps, run, place, signals } = context;
  const { policy } = run.record;
  const journalSeq = await flushJournal(deps, run, input.journal);
  const checks = { ...(await checksOf(context, input)), redactor: redactorOf(run) };
  await forgetCheckoutGit(context);
  const { report, ends } = checks;
  const findings = findingsOf(checks, policy.validation.baseFailures);
  await publishValidation(deps, run, { report, ends, findings, signals });
  const artifacts = artifactsOf(deps, run);
  const put = (value: unknown) => (value === null ? null : artifacts.put(JSON.stringify(value), 'application/json'));
  return {
    outcome: outcomeOfReport(report, policy.validation.baseFailures),
    summary: report.summary,
    tree: report.tree,
    report: await artifacts.put(JSON.stringify(report), 'application/json'),
    observations: toldWithoutValues(run, [
      ...report.commands.map((command, index) => completed(command, input.round, ends[index]?.exit.endedAt)),
      ...refusedHosts(await commandFolders(place.dir), { what: 'validation', seq: input.place.seq }),
      ...leftObservations(place, { stage: 'validating', seq: input.place.seq }),
    ]),
    journalSeq,
    findings: await put(findings),
    output: await put(outputsOf(checks)),
  };
}

/** Of set-up, checks and what ran on the base: each at a sub-place of its own. */
async function commandFolders(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => /^\d+$/.test(name)).map((name) => join(dir, name));
}

interface Checks extends Omit<ValidatedChecks, 'redactor'> {
  readonly ends: readonly CommandEndOnCheckout[];
}

const NOT_RUN = { ends: [], failedSetup: null, changedFiles: [] } as const;

async function checksOf(at: AtPlace, input: ValidateInput): Promise<Checks> {
  const { commands } = at.run.record.policy.validation;
  const { session, tree } = await openSession(at, input);
  const about = { round: input.round, commit: input.commit, tree };
  const without = (note: string) => ({ ...about, commands: [], summary: summarize([]), treeChanged: false, note });
  if (commands.length === 0) return { ...NOT_RUN, report: without(NO_COMMANDS) };
  try {
    const ends: CommandEndOnCheckout[] = [];
    const setupError = await session.runOn(input.commit, commands, (_, end) => ends.push(end));
    if (setupError !== null) return { ...NOT_RUN, report: without(setupError), failedSetup: session.setupEnd };
    const changedFiles = await changedOnce(at, session);
    const base = await redOnBase(session, { input, ends });
    const results = ends.map((end, index) =>
      resultOf(end, { round: input.round, n: index + 1, failedOnBase: base.red.has(end.line) }),
    );
    const notes = [
      ...(changedFiles.length === 0 ? [] : [`tree_changed: ${changedFiles.slice(0, 10).join(', ')}`]),
      ...base.notes,
    ];
    const note = notes.length === 0 ? null : notes.join('; ');
    const report = {
      ...about,
      commands: results,
      summary: summarize(results),
      treeChanged: changedFiles.length > 0,
      note,
    };
    return { report, ends, failedSetup: null, changedFiles };
  } catch (err) {
    if (err instanceof CommandCrashLoop) return { ...NOT_RUN, report: without(err.message) };
    // An object that an agent removed stays missing, however often it is asked for.
    const trouble = lastingTrouble(err);
    if (trouble === null) throw err;
    return { ...NOT_RUN, report: without(`the commit cannot be checked out for validation: ${trouble}`) };
  }
}

/** Without a checkout or the commit's tree nothing that is found belongs to anything. Errors: BadRepository. */
async function openSession(
  at: AtPlace,
  { commit }: ValidateInput,
): Promise<{ session: CheckoutSession; tree: string }> {
  try {
    const session = await CheckoutSession.open(at);
    return { session, tree: await session.checkout.tree(commit) };
  } catch (err) {
    throw validationImpossible(at.run, commit, err) ?? err;
  }
}

/** Looked at once, before the checkout moves to the base: a later attempt finds the answer here. */
async function changedOnce(at: AtPlace, session: CheckoutSession): Promise<readonly string[]> {
  const known = readMark<readonly string[]>(at.place, CHANGED_FILE);
  if (known.kind === 'answer') return known.value;
  const changed = await session.checkout.changedTracked();
  writePlaceMark(at.place, CHANGED_FILE, changed);
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

function resultOf(
  end: CommandEndOnCheckout,
  about: { round: number; n: number; failedOnBase: boolean },
): CommandResult {
  const { exit, line } = end;
  return {
    command: line,
    exitCode: exit.exitCode,
    status: statusOfExit(exit),
    timedOut: exit.reason === 'timed_out',
    failedOnBase: about.failedOnBase,
    durationMs: ranMsOf(exit),
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
