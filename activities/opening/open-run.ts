/**
 * Opens a run on this host: is the repository served, which policy, from which commit; then branch, worktree and set-up.
 * Effects: the run's folder below the sluice home, one branch, one worktree, the run directory; nothing else of the repository.
 * Idempotency: by place and by workflow chain; a kill at any step is mended by the next attempt. Another chain gets RunExists and nothing changes.
 * Cancel: a running set-up command is ended and the run opens with `setupError`, so that it can be closed with a report.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { runPolicyOf } from '../../config/resolve/run-policy.js';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { OpenRunInput, OpenRunResult } from '../../protocol/messages/messages.js';
import { branchOf } from '../../protocol/names.js';
import { isRunId, RUN_ID_RULE, runIdOfWorkflow } from '../../protocol/run/run-id.js';
import { redact } from '../../protocol/text/redact.js';
import { captureEnvironment } from '../agent/environment/environment.js';
import { type SetupEnd, setUpWorktree } from '../checks/set-up-worktree.js';
import { repoKeyOf } from '../git/refs/find-repository.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import { openRunGit, ownWorktreeOf } from '../git/run/open-run-git.js';
import type { Base, Repository } from '../git/start/contract.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { assertNoSymlink, SymlinkInTheWay } from '../git/start/no-symlink.js';
import { addWorktree } from '../git/worktree/add-worktree.js';
import { keepFirstConfig } from '../git/worktree/worktree-own-state.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { servedRepository } from '../policy/served-repository.js';
import { chooseSandbox, sandboxObservation, sandboxText } from '../sandbox/choose-sandbox.js';
import { hiddenPlaces } from '../sandbox/enter-sandbox.js';
import { openedSteps } from '../steps/opened-steps.js';
import { tellSteps } from '../steps/tell-steps.js';
import { noteLeft } from '../turn/left-changes.js';
import { type AtPlace, atPlace } from '../unit/at-place.js';
import type { HostDeps } from '../unit/host-deps.js';
import { inputOfItem } from '../unit/item-record.js';
import { type PlaceFolder, readMark, writePlaceMark } from '../unit/place-record.js';
import { badInput, runCleaned, runExists } from '../unit/run-failures.js';
import { projectionOf } from '../unit/run-projection.js';
import {
  claimRun,
  findRunRecord,
  frozenHash,
  isBuried,
  locateRun,
  type RunOnHost,
  type RunRecord,
  releaseRun,
  startOf,
  writeEnvironment,
} from '../unit/run-record.js';
import { redactorOf, toldWithoutValues } from '../unit/run-redactor.js';
import { startProgress } from '../unit/stage-progress.js';
import { checkAgents } from './check-agents.js';
import { branchOfFirst, startOfFirst } from './first-run.js';
import { clearTaken, findFormer, type GoneOn, goOnFrom, takeFormer } from './former-run.js';
import { takePlan } from './given-plan.js';
import { withPassedEnvironment } from './pass-environment.js';
import { resumeRun, rewoundObservation, showTaken, takeArtifacts } from './resume-run.js';

const FILLED_FILE = 'filled.json';
const ASIDE_FILE = 'aside.json';

/** Of a run that is not to be: branch or worktree are somebody else's, or its source was cleaned away meanwhile. */
const REFUSALS: readonly unknown[] = [FAILURES.RunExists, FAILURES.BadInput];

export function createOpenRun(deps: HostDeps): (input: OpenRunInput) => Promise<OpenRunResult> {
  return (input) =>
    atPlace(deps, { name: 'open', input, find: () => planRun(deps, input), isSealed: false, work: openRun });
}

/** The run as it was opened before, or as it is to be made. */
async function planRun(deps: HostDeps, input: OpenRunInput): Promise<RunOnHost> {
  const runId = checkedRunId(input);
  const repository = await servedRepository(deps, input.run.repo);
  const repoKey = repoKeyOf(deps.hostId, repository.commonDir);
  const stateDir = deps.home.stateDir(repoKey, runId);
  const known = findRunRecord(stateDir);
  const record =
    known ?? (await newRecord(deps, { input: wholeInput(deps, input, repoKey), repository, repoKey, runId }));
  if (isBuried(record)) throw runCleaned(runId);
  // Of another sluice home, or of one that is gone: what people read of that run would be mixed with this one.
  if (known === null && existsSync(record.runDir)) throw runExists(runId, record.runDir);
  if (record.firstExecutionRunId !== input.firstExecutionRunId) throw runExists(runId, stateDir);
  const run = locateRun(deps.home, record, captureEnvironment(deps.environment));
  await refuseLinkedRunsDir(repository.root, record.policy.runsDir);
  // What was opened is gone on with, whatever this worker finds on its PATH; a turn finds its own program.
  if (known === null) checkAgents(record.policy, { env: run.workplace.env, repository, worktree: record.worktree });
  return run;
}

/** What an item's run is to do lies on its host. Errors: BadInput. */
function wholeInput({ home }: HostDeps, input: OpenRunInput, repoKey: string): OpenRunInput {
  const { run } = input;
  return run.item === undefined ? input : { ...input, run: inputOfItem(home, { run, item: run.item, repoKey }) };
}

async function openRun(at: AtPlace): Promise<OpenRunResult> {
  const { deps, run, place } = at;
  const { record, stateDir } = run;
  const { runId, worktree } = record;
  // The record names the owner before branch and worktree are made, so that no other chain ever adopts a half-made run.
  const owner = claimRun(stateDir, record, deps.durability);
  if (owner.firstExecutionRunId !== record.firstExecutionRunId) throw runExists(runId, stateDir);
  deps.failpoint('open.after-claim');
  try {
    await takeArtifacts(deps, run);
    startProgress(stateDir, record.rewound?.inherited ?? [], deps.durability);
    await takeFormer(deps, run);
    const owners = { owner: record.firstExecutionRunId, formerOwner: record.takenFrom?.owner ?? null };
    await addWorktree({ ...record, ...owners, baseSha: startOf(record), path: worktree });
    if (record.takenFrom !== undefined) deps.failpoint('take-over.after-mark');
  } catch (err) {
    if (err instanceof ApplicationFailure && REFUSALS.includes(err.type)) releaseRun(stateDir);
    throw err;
  }
  writeEnvironment(stateDir, run.workplace.env, deps.durability);
  deps.failpoint('open.after-worktree');
  const unfilled = await fillWorktree(deps, run, place);
  if (unfilled !== null) return openedRun(deps, run, { error: unfilled, observations: [], plan: null });
  const taken = takenObservation(place);
  // What takes minutes is shown, in a folder that is hidden from git first.
  if (record.policy.worktree.setup.length > 0) await projectionOf(deps, run).open();
  const setup = await setUpWorktree(at);
  if (record.policy.worktree.setup.length > 0)
    await noteLeft(run, await openRunGit(run.workplace.git), deps.durability);
  const plan = await takePlan(deps, run);
  const steps = openedSteps(deps, run);
  await showTaken(deps, run, plan);
  if (steps !== null) await tellSteps(deps, run);
  const given = steps === null ? { plan } : { plan, steps };
  return openedRun(deps, run, { ...setup, ...given, observations: [...taken, ...setup.observations] });
}

function openedRun(
  deps: HostDeps,
  run: RunOnHost,
  setup: SetupEnd & Pick<OpenRunResult, 'plan' | 'steps'>,
): OpenRunResult {
  const { record, stateDir } = run;
  const { repository, worktree, baseSha } = record;
  const resumed = record.rewound?.resumed ?? null;
  return {
    hostId: deps.hostId,
    repo: repository.root,
    repoKey: record.repoKey,
    project: repository.project,
    worktree,
    branch: record.branch,
    baseBranch: record.baseBranch,
    baseSha,
    runDir: record.runDir,
    policy: runPolicyOf(record.policy),
    searchAttributes: deps.searchAttributes,
    setupError: setup.error === null ? null : redactorOf(run).text(setup.error),
    observations: [
      ...(resumed === null ? [] : [rewoundObservation(resumed)]),
      {
        timestamp: new Date().toISOString(),
        type: 'git.worktree.created',
        message: `${record.branch} from ${record.baseBranch} at ${startOf(record).slice(0, 12)}`,
        data: {
          worktree,
          branch: record.branch,
          baseBranch: record.baseBranch,
          baseSha,
          sandbox: sandboxText(record.sandbox),
        },
      },
      ...sandboxObservation(record.sandbox, record.policy),
      ...toldWithoutValues(run, setup.observations),
    ],
    resumed,
    plan: setup.plan,
    ...(setup.steps === undefined ? {} : { steps: setup.steps }),
    frozen: frozenHash(stateDir),
  };
}

/** The run directory is written for people; through a link it would be written wherever somebody pointed it. */
async function refuseLinkedRunsDir(root: string, runsDir: string): Promise<void> {
  try {
    await assertNoSymlink(root, runsDir);
  } catch (err) {
    if (err instanceof SymlinkInTheWay) throw badInput('runsDir', err.message);
    throw err;
  }
}

/**
 * Once a place: a second attempt may find a set-up command at work in it. Answers why git cannot check the commit out, where it never can
 * (a path that git forbids, or that is longer than the system takes): as with a failed set-up the run is opened and closes with a report.
 */
async function fillWorktree(deps: HostDeps, run: RunOnHost, place: PlaceFolder): Promise<string | null> {
  if (readMark<true>(place, FILLED_FILE).kind === 'answer') return null;
  try {
    const git = await openRunGit(run.workplace.git);
    await keepFirstConfig(ownWorktreeOf(run.workplace.git));
    const aside = await clearTaken(deps, run, git);
    if (aside !== null) writePlaceMark<string>(place, ASIDE_FILE, aside);
    await git.restore(startOf(run.record));
  } catch (error) {
    const why = lastingTrouble(error);
    if (why === null) throw error;
    return redact(`git cannot check out the commit that the run starts from: ${why}`).slice(0, MAX_SENTENCE_CHARS);
  }
  writePlaceMark<true>(place, FILLED_FILE, true);
  return null;
}

/** What was moved out of a worktree that was taken over. */
function takenObservation(place: PlaceFolder): readonly Observation[] {
  const aside = readMark<string>(place, ASIDE_FILE);
  if (aside.kind !== 'answer') return [];
  const data = { stage: null, seq: place.seq, gate: false };
  return [{ timestamp: new Date().toISOString(), type: 'repository.changed', message: aside.value, data }];
}

interface NewRun {
  readonly input: OpenRunInput;
  readonly repository: Repository;
  readonly repoKey: string;
  readonly runId: string;
}

async function newRecord(deps: HostDeps, { input, repository, repoKey, runId }: NewRun): Promise<RunRecord> {
  const frozen = await frozenOf(deps, { input, repository, repoKey, runId });
  const policy = withPassedEnvironment(frozen.policy, deps.environment);
  const { worktree } = frozen;
  const sandbox = await chooseSandbox({
    policy,
    env: captureEnvironment(deps.environment),
    forbidden: [repository.root, worktree],
    hidden: hiddenPlaces(deps.home.root, { repository }),
  });
  return {
    version: 1,
    runId,
    repoKey,
    workflowId: input.workflowId,
    firstExecutionRunId: input.firstExecutionRunId,
    ...frozen,
    policy,
    repository,
    runDir: join(repository.root, frozen.policy.runsDir, runId),
    startedAt: input.startedAt,
    sandbox,
  };
}

/** Resolved for a first run, taken over for a rewound one and for one of an item that had others. */
async function frozenOf(deps: HostDeps, { input: { run }, repository, repoKey, runId }: NewRun): Promise<GoneOn> {
  const own = { worktree: deps.home.worktree(repoKey, runId), branch: branchOf(runId) };
  const { rewind, item } = run;
  if (rewind !== undefined)
    return { ...own, ...(await resumeRun(deps, { rewind, input: run, repository, repoKey, runId })) };
  const former = await findFormer(deps, { run, repoKey, runId });
  if (former !== null) return goOnFrom(deps, former, run);
  const base: Base = await resolveBase(repository, run.base);
  const atBase = await resolveRunPolicy(deps, { run, repository, baseSha: base.sha });
  const given = { ...own, input: run, baseBranch: base.branch, rewound: null };
  if (item === undefined) return { ...given, ...atBase, baseSha: base.sha };
  const { behind = [] } = item;
  const baseSha = await startOfFirst(deps, repository, { policy: atBase.policy, base, repoKey, behind });
  const resolved = baseSha === base.sha ? atBase : await resolveRunPolicy(deps, { run, repository, baseSha });
  const branch = await branchOfFirst(repository, resolved.policy, { ...run, item });
  return { ...given, ...resolved, branch, baseSha };
}

/** Checked again here: the id becomes part of paths and refs. */
function checkedRunId(input: OpenRunInput): string {
  const { runId } = input.place;
  if (!isRunId(runId) || runId !== runIdOfWorkflow(input.workflowId)) {
    throw badInput('workflowId', `the run id ${JSON.stringify(runId.slice(0, 100))} is not one (${RUN_ID_RULE})`);
  }
  return runId;
}
