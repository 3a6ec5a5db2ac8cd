/**
 * Runs a named set of checks on one commit of a workplace, in its own checkout, and says what each came to. It knows no run: what becomes of the answer is the caller's.
 * Idempotency: by place; each command has a sub-place, so a second attempt goes on at the first command without an exit.
 */
import type { CommandResult } from '../../protocol/run/outcomes.js';
import type { CheckSet, CheckSetName } from '../../protocol/run/policy.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { nameOutputPaths } from '../journal/projection.js';
import type { AtWorkplace } from '../unit/at-place.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import { NO_COMMANDS, statusOfExit, summarize } from './classify-validation.js';
import { forgetCheckoutGit } from './own-commands.js';
import { CommandCrashLoop } from './run-command-line.js';
import { CheckoutSession, type CommandEndOnCheckout } from './validation-checkout.js';
import type { ValidatedChecks } from './validation-findings.js';

const CHANGED_FILE = 'tree-changed.json';

export interface CommitToCheck {
  readonly checks: CheckSetName;
  readonly commit: string;
  /** What is red here too was red before. */
  readonly baseSha: string;
  readonly round: number;
}

export interface CheckedCommit extends Omit<ValidatedChecks, 'redactor'> {
  readonly ends: readonly CommandEndOnCheckout[];
}

const NOT_RUN = { ends: [], failedSetup: null, changedFiles: [] } as const;

/** Errors: those of git where nobody can give it the checkout or the commit's tree; then nothing that is found belongs to anything. */
export async function checkCommit(at: AtWorkplace, asked: CommitToCheck): Promise<CheckedCommit> {
  const session = await CheckoutSession.open(at);
  const tree = await session.checkout.tree(asked.commit);
  const checked = await checkTree(at, session, { ...asked, tree });
  await forgetCheckoutGit(at);
  return checked;
}

async function checkTree(
  at: AtWorkplace,
  session: CheckoutSession,
  asked: CommitToCheck & { readonly tree: string },
): Promise<CheckedCommit> {
  const { round, commit, checks, tree } = asked;
  const set = at.workplace.policy.checks[checks];
  const about = { round, commit, tree };
  const without = (note: string) => ({ ...about, commands: [], summary: summarize([]), treeChanged: false, note });
  if (set.commands.length === 0) return { ...NOT_RUN, report: without(NO_COMMANDS) };
  try {
    const ends: CommandEndOnCheckout[] = [];
    const setupError = await session.runOn(commit, set, (_, end) => ends.push(end));
    if (setupError !== null) return { ...NOT_RUN, report: without(setupError), failedSetup: session.setupEnd };
    const changedFiles = await changedOnce(at, session);
    const base = await redOnBase(session, { asked, set, ends });
    const results = ends.map((end, index) =>
      resultOf(end, { round, n: index + 1, failedOnBase: base.red.has(end.line) }),
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

/** Looked at once, before the checkout moves to the base: a later attempt finds the answer here. */
async function changedOnce(at: AtWorkplace, session: CheckoutSession): Promise<readonly string[]> {
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
  { asked, set, ends }: { asked: CommitToCheck; set: CheckSet; ends: readonly CommandEndOnCheckout[] },
): Promise<RedOnBase> {
  const red = ends.filter((end) => statusOfExit(end.exit) === 'failed').map((end) => end.line);
  if (red.length === 0 || asked.commit === asked.baseSha) return { red: new Set(red), notes: [] };
  const failed = new Set<string>();
  const setupError = await session.runOn(asked.baseSha, { ...set, commands: red }, (_, end) => {
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
    durationMs: exit.ranMs,
    ...nameOutputPaths(about.round, about.n),
  };
}
