/**
 * `sluice clean`: removes worktrees, branches, refs and artifacts of closed runs that are merged, or that a person names and gives up.
 * The run's own host does it, so it needs the engine. The run folder stays. It lists first, and asks on a terminal.
 */

import { orAborted } from '../../../config/system/or-aborted.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { type FoundRun, findRuns } from '../../look/find-runs.js';
import { lookAtRepository } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { findRun, runsOfRepository } from '../find/find-run.js';
import { LAST } from '../find/pick-run.js';
import { type Looked, lookAtRun, type Removable } from '../find/removable-runs.js';
import { connectToLook } from '../server/connect.js';
import { askYesOrNo } from '../terminal/confirm.js';
import { type Context, lookPlaceOf, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import { reasonOf } from '../watch/run-end.js';

const NOTHING = 'Nothing was removed.';

export interface CleanOptions {
  readonly runs: readonly string[];
  readonly all: boolean;
  readonly giveUp: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export async function clean(context: Context, options: CleanOptions, connect = connectToLook): Promise<ExitCode> {
  personOf(context);
  checkOptions(options);
  const { stop } = context.io;
  await using sluice = await orAborted(connect(context), stop, () => undefined);
  if (sluice === undefined) return tellStopped(context, NOTHING);
  const looked = await orAborted(lookAtAll(context, sluice, options), stop, () => null);
  if (looked === null) return tellStopped(context, NOTHING);
  const removable = looked.flatMap((look) => (look.kind === 'removable' ? [look.removable] : []));
  const kept = options.runs.length > 0 ? looked.flatMap((look) => (look.kind === 'kept' ? [look] : [])) : [];
  list(context, removable, kept);
  if (options.dryRun || removable.length === 0) return kept.length > 0 ? EXIT.needsPerson : EXIT.done;
  if (sluice === null) throw new RefusedError(ENGINE_DOWN);
  if (!options.yes && !(await confirmed(context, removable.length))) return notRemoved(context);
  if (stop.aborted) return tellStopped(context, NOTHING);
  const worst = await removeAll(context, sluice, removable);
  return worst === EXIT.done && kept.length > 0 ? EXIT.needsPerson : worst;
}

async function lookAtAll(context: Context, sluice: Sluice | null, options: CleanOptions): Promise<readonly Looked[]> {
  const { runs, all, giveUp } = options;
  if (runs.length > 0) {
    if (runs.includes(LAST) && (await lookAtRepository(context.io.cwd)).kind !== 'ok')
      throw new RefusedError(noRepository(context));
    const named: FoundRun[] = [];
    for (const asked of runs) named.push(await findRun(context, sluice, asked));
    const once = [...new Map(named.map((run) => [run.runId, run])).values()];
    return Promise.all(once.map((run) => lookAtRun(sluice, { run, giveUp })));
  }
  const known = await findRuns(lookPlaceOf(context), sluice);
  const here = all ? known : await runsOfRepository(context, known);
  if (!all && here === known) throw new RefusedError(noRepository(context));
  const closed = here.filter((run) => run.closedAt !== null);
  const looked: Looked[] = [];
  // One after the other: each is a few git calls.
  for (const run of closed) looked.push(await lookAtRun(sluice, { run, giveUp: false }));
  return looked.filter(
    (look) => look.kind === 'kept' || look.removable.worktree !== null || look.removable.branch !== null,
  );
}

function list(
  { io, json }: Context,
  removable: readonly Removable[],
  kept: readonly Extract<Looked, { kind: 'kept' }>[],
): void {
  for (const { runId, work, worktree, branch } of removable) {
    if (json) io.json({ kind: 'removable', runId, merged: work === 'merged', worktree, branch });
  }
  for (const { runId, why } of kept) {
    if (json) io.json({ kind: 'kept', runId, why });
    else io.err(foreign(`${runId} stays: ${why}`));
  }
  if (json) return;
  if (removable.length > 0) io.out('To be removed, with refs and artifacts; the run folders stay:');
  else if (kept.length === 0) io.out('Nothing to remove: no closed run that is merged left a worktree or a branch.');
  for (const run of removable) {
    io.out(foreign(`  ${run.runId}  ${lossOf(run)}${run.branch === null ? '' : `, ${run.branch}`}  ${run.title}`));
  }
}

function lossOf({ work, baseBranch, input }: Removable): string {
  if (work === 'unmerged') return 'given up';
  const known = work === 'none' ? 'committed nothing' : `merged into ${baseBranch ?? 'its base'}`;
  return input.giveUp ? `${known}, changes in its worktree given up` : known;
}

/** **Unit** ms. A removal takes a second; after this somebody wonders. */
const TELL_AFTER_MS = 2_000;

/** Null when the person stopped first. */
async function removeTelling({ io }: Context, sluice: Sluice, { runId, input }: Removable) {
  const timer = setTimeout(
    () => io.err(foreign(`The host of ${runId} has not answered yet; it is waited for, a minute if it is away.`)),
    TELL_AFTER_MS,
  );
  try {
    const cleaned = sluice
      .cleanRun({ input }, io.stop)
      .catch((error: unknown) => ({ kind: 'failed' as const, why: reasonOf(error) }));
    return await orAborted(cleaned, io.stop, () => null);
  } finally {
    clearTimeout(timer);
  }
}

async function removeAll(context: Context, sluice: Sluice, removable: readonly Removable[]): Promise<ExitCode> {
  const { io, json } = context;
  let worst: ExitCode = EXIT.done;
  for (const run of removable) {
    const { runId } = run;
    const result = await removeTelling(context, sluice, run);
    if (result === null) {
      io.err(foreign(`Stopped. Whether ${runId} was removed is not known; the same command looks again.`));
      return EXIT.detached;
    }
    if (json) {
      const removed = result.kind === 'cleaned' ? result.removed : [];
      io.json({
        kind: 'clean',
        runId,
        result: result.kind,
        removed,
        why: result.kind === 'cleaned' ? null : result.why,
      });
    } else if (result.kind === 'cleaned')
      io.out(foreign(`${runId} removed: ${result.removed.join(', ') || 'nothing, it was clean'}`));
    // Four parts of the host, which name the run.
    else
      io.err(
        result.kind === 'kept' ? foreignBlock(result.why) : foreign(`${runId} could not be removed: ${result.why}`),
      );
    if (result.kind === 'failed') worst = EXIT.failed;
    if (result.kind === 'kept' && worst === EXIT.done) worst = EXIT.needsPerson;
  }
  return worst;
}

/** Errors: RefusedError where nobody can be asked. */
async function confirmed({ io, json }: Context, count: number): Promise<boolean> {
  if (!io.interactive || json) throw new RefusedError(UNCONFIRMED);
  const question = `Remove ${count === 1 ? 'it' : `these ${count}`}?`;
  return askYesOrNo(question, { initial: false, left: NOTHING });
}

function notRemoved({ io }: Context): ExitCode {
  io.err(NOTHING);
  return EXIT.notStarted;
}

function checkOptions({ runs, all, giveUp }: CleanOptions): void {
  if (giveUp && (runs.length === 0 || all)) {
    throw new RefusedError({
      what: '--give-up is given, but no run is named',
      why: 'work that is not merged is given up run by run, by name',
      now: NOTHING,
      mend: 'sluice clean <run> --give-up',
    });
  }
  if (all && runs.length > 0) {
    throw new RefusedError({
      what: `--all is given beside ${foreign(runs.join(', ')).slice(0, 80)}`,
      why: '--all means every closed run that is merged, in every repository',
      now: NOTHING,
      mend: 'sluice clean --all    or: sluice clean <run>',
    });
  }
}

/** What others have is removed where somebody says so. */
function noRepository({ io }: Context) {
  return {
    what: `there is no repository around ${foreign(io.cwd)}`,
    why: 'without a name, or by @last, those of the repository that you stand in are meant',
    now: 'Nothing was removed.',
    mend: 'sluice clean --all    means those of every repository; or: sluice clean <run>',
  };
}

const UNCONFIRMED = {
  what: 'nobody said yes',
  why: 'without a terminal a removal needs --yes',
  now: NOTHING,
  mend: 'sluice clean --yes    or, to look only: sluice clean --dry-run',
};

const ENGINE_DOWN = {
  what: 'the engine is down, so nothing can be removed',
  why: "a run's own host removes what it left",
  now: NOTHING,
  mend: 'sluice up && sluice clean',
};
