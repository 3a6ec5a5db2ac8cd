/**
 * What a rewound run takes from its source on this host: task, frozen policy, base, code and artifacts (V-131). The source is only read.
 * It must be closed, so that nothing of it changes meanwhile. Nothing is taken from the source's run directory: people may edit that.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { trustOf } from '../../config/home/trust.js';
import { messageOf } from '../../config/system/error-code.js';
import { FAILURES } from '../../protocol/failures.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { ResumedRun, RunInput } from '../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Finding } from '../../protocol/run/finding.js';
import { isRunId, RUN_ID_RULE } from '../../protocol/run/run-id.js';
import { STAGES, type Stage } from '../../protocol/run/stages.js';
import { type Refusal, refusalFailure } from '../../protocol/text/refusal.js';
import { SHAPES_ONLY } from '../../protocol/text/value-redactor.js';
import type { Repository } from '../git/start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../git/start/run-git.js';
import { refOf } from '../journal/artifact-store.js';
import { goOn, isShortage } from '../journal/go-on.js';
import { writeFileAtomic } from '../journal/write-file.js';
import { isClosedOnHost } from '../unit/closed-mark.js';
import type { HostDeps } from '../unit/host-deps.js';
import { withConfigRefusals } from '../unit/run-failures.js';
import { artifactsOf, projectionOf } from '../unit/run-projection.js';
import { findRunRecord, isBuried, locateRun, type RunOnHost, type RunRecord } from '../unit/run-record.js';
import { readProgress, type StageEntry } from '../unit/stage-progress.js';
import { planRewind, type RewindPoint, type RewindSource } from './rewind-point.js';

export interface RewindRequest {
  readonly rewind: NonNullable<RunInput['rewind']>;
  readonly input: RunInput;
  readonly repository: Repository;
  readonly repoKey: string;
  /** Of the new run. */
  readonly runId: string;
}

/** Shape: what stands in the new run's record instead of what a first run would resolve. */
export type TakenOver = Pick<RunRecord, 'input' | 'policy' | 'baseBranch' | 'baseSha' | 'trustedConfig' | 'rewound'>;

/** Effects: none. Errors: BadInput, with what can be chosen instead; NotTrusted if the person took back what let the source start programs. */
export async function resumeRun(deps: HostDeps, request: RewindRequest): Promise<TakenOver> {
  const source = sourceOf(deps, request);
  const { record } = source;
  refuseOwnPolicy(request, record);
  const trustedConfig = await stillTrusted(deps, record);
  const point = pointOf(source, request);
  const baseSha = request.rewind.onto?.base ?? record.baseSha;
  await assertCommits(request, record, { ...point, baseSha });
  return {
    input: inputOf(request.input, record),
    policy: record.policy,
    trustedConfig,
    baseBranch: record.baseBranch,
    baseSha,
    rewound: rewoundTo(point, { sourceRunId: record.runId, baseSha }),
  };
}

/** What the record of a run says that begins at that point of another. */
export function rewoundTo(
  { fromStage, commit, context, approved, before: inherited }: RewindPoint,
  { sourceRunId, baseSha }: Pick<ResumedRun, 'sourceRunId'> & Pick<RunRecord, 'baseSha'>,
): NonNullable<RunRecord['rewound']> {
  return {
    resumed: { sourceRunId, fromStage, commit, wroteCode: commit !== baseSha, context, approved },
    inherited,
  };
}

/**
 * Copies the source's artifacts into the store of the new run. Idempotency: what is there already is not asked of the source again, which may be
 * cleaned away by then. Errors: BadInput if something is gone or damaged; the caller gives the new run up.
 */
export async function takeArtifacts(deps: HostDeps, run: RunOnHost): Promise<void> {
  const { rewound } = run.record;
  if (rewound === null) return;
  const { sourceRunId } = rewound.resumed;
  const own = artifactsOf(deps, run, SHAPES_ONLY);
  const findings = run.record.input.rewind?.findings;
  if (findings !== undefined) await own.put(textOf(findings), 'application/json');
  const theirs = artifactsOf(deps, { ...run, stateDir: deps.home.stateDir(run.record.repoKey, sourceRunId) });
  for (const ref of refsOf(rewound)) {
    const isThere = await own.get(ref).then(
      () => true,
      () => false,
    );
    if (!isThere) await own.put(await theirs.get(ref).catch(refuseCleaned(sourceRunId)), ref.mediaType);
  }
}

/** For people: the run directory of the new run holds what its agents were given. `given`: the plan of its task. Effects: at most two files; what cannot be written is left out. */
export async function showTaken(deps: HostDeps, run: RunOnHost, given: ArtifactRef | null): Promise<void> {
  const { rewound, runDir, repository, runId } = run.record;
  const { plan = null, architecture = null } = rewound?.resumed.context ?? {};
  const shown = [['plan.md', given ?? plan] as const, ['architecture.md', architecture] as const];
  if (shown.every(([, ref]) => ref === null)) return;
  await projectionOf(deps, run).open();
  const write = { root: repository.root, fsync: deps.durability === 'power' };
  const skipped = (file: string, error: unknown) =>
    log.warn('a file of the run directory cannot be written; the run goes on', {
      runId,
      file,
      error: messageOf(error),
    });
  for (const [name, ref] of shown) {
    if (ref === null) continue;
    const text = await artifactsOf(deps, run).get(ref);
    await goOn(skipped, name, () => writeFileAtomic(join(runDir, name), text, write));
  }
}

export function rewoundObservation({ sourceRunId, fromStage, commit }: ResumedRun): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'run.rewound',
    message: `from ${fromStage} of ${sourceRunId}, at ${commit.slice(0, 12)}`,
    data: { sourceRunId, fromStage, commit },
  };
}

function sourceOf(deps: HostDeps, { rewind, repository, repoKey, runId }: RewindRequest): RunOnHost {
  const name = rewind.runId;
  if (!isRunId(name)) {
    const what = `rewind.runId is ${JSON.stringify(name.slice(0, 100))}.`;
    throw refused('rewind', { what, why: `A run id has ${RUN_ID_RULE}.`, mend: 'sluice list' });
  }
  if (name === runId) {
    const what = `rewind.runId is ${name}, the id of the new run itself.`;
    const why = 'A rewind is a new run with an id of its own; its source stays as it is.';
    throw refused('rewind', { what, why, mend: `sluice rewind ${name}` });
  }
  const stateDir = deps.home.stateDir(repoKey, name);
  const record = findRunRecord(stateDir);
  if (record === null)
    throw existsSync(stateDir) ? cleanedAway(name, 'its record is gone') : unknownSource(name, repository);
  if (isBuried(record)) throw cleanedAway(name, 'it was cleaned');
  if (!isClosedOnHost(stateDir)) {
    const what = `rewind.runId is ${name}, and that run is still open.`;
    const why = 'A rewind takes what a closed run left; an open one still changes it.';
    throw refused('rewind', { what, why, mend: `sluice abort ${name}` });
  }
  return locateRun(deps.home, record);
}

function unknownSource(name: string, repository: Repository): ApplicationFailure {
  const what = `rewind.runId is ${name}, and this host has no such run of ${repository.root}.`;
  const why =
    'A rewind starts from a run of the same repository, on the host that did it, until `sluice clean` removes it.';
  return refused('rewind', { what, why, mend: 'sluice list' });
}

const OF_SOURCE = ['preset', 'policy', 'commandHash', 'configHash'] as const;

/** The policy was frozen and trusted when the source opened; half of another one would be neither. */
function refuseOwnPolicy({ input, rewind }: RewindRequest, source: RunRecord): void {
  const field = OF_SOURCE.find((key) => input[key] !== undefined);
  const mend = `sluice rewind ${rewind.runId}`;
  if (field !== undefined) {
    const why = 'A rewound run takes the policy of its source, as it was frozen then.';
    throw refused(field, { what: `${field} is given beside rewind.`, why, mend });
  }
  if (input.base !== undefined && input.base !== source.baseBranch && input.base !== source.input.base) {
    const what = `base is ${JSON.stringify(input.base.slice(0, 100))}, and run ${source.runId} began at ${source.baseBranch}.`;
    throw refused('base', { what, why: 'A rewound run takes the base of its source.', mend });
  }
}

/** A person may have taken back what let the source start programs. */
async function stillTrusted(deps: HostDeps, source: RunRecord): Promise<string | null> {
  const { repository, runId, trustedConfig: hash } = source;
  const trust = await withConfigRefusals(() => trustOf(deps.home.root, repository.root));
  if (hash === null || trust.isTrusted(hash)) return hash;
  const what = `Run ${runId} was opened with a config of ${repository.root} (sha256 ${hash.slice(0, 12)}) that is not trusted any more.`;
  const why =
    'A rewound run starts the programs of its source, and those of a project only as long as its config is trusted.';
  const mend = 'sluice trust    trusts the config of the checkout; if that is another one by now: sluice run "<task>"';
  throw ApplicationFailure.create(refusalFailure(FAILURES.NotTrusted, { what, why, now: NOTHING, mend }, 'rewind'));
}

/** What is known of a run that another one goes on from. Effects: none. */
export function readSource({ record, stateDir }: RunOnHost): RewindSource {
  const { policy, baseSha, rewound } = record;
  return { stages: policy.stages, baseSha, progress: readProgress(stateDir), beganAt: rewound && rewound.resumed };
}

function pointOf(source: RunOnHost, { rewind }: RewindRequest): RewindPoint {
  const { record } = source;
  const { policy } = record;
  const { stage, findings, onto } = rewind;
  const planned = planRewind(readSource(source), {
    stage,
    onto,
    findings: findings && refOf(textOf(findings), 'application/json'),
  });
  if (planned.kind === 'planned') return planned.point;
  const { runId } = record;
  if (planned.kind === 'unknown') throw unknownProgress(runId, planned.choices);
  const found =
    planned.kind === 'not_in_list'
      ? `run ${runId} has no such stage; its list is ${policy.stages.join(', ')}.`
      : `run ${runId} never reached it.`;
  const why = `A rewind starts at a stage that its source reached: ${planned.choices.join(', ')}.`;
  const mend = `sluice rewind ${runId} --stage ${planned.choices.at(-1) ?? STAGES[0]}`;
  throw refused('rewind', { what: `rewind.stage is ${rewind.stage ?? 'none'}: ${found}`, why, mend });
}

function unknownProgress(runId: string, [first]: readonly Stage[]): ApplicationFailure {
  const what = `rewind.runId is ${runId}, and what it did is not known: its progress is missing or damaged on this host.`;
  const why = 'A rewind without it starts at the first stage of the source, which needs nothing of it.';
  return refused('rewind', {
    what,
    why,
    mend: first === undefined ? 'sluice run "<task>"' : `sluice rewind ${runId} --stage ${first}`,
  });
}

async function assertCommits(
  { repository, rewind }: RewindRequest,
  source: RunRecord,
  { fromStage, commit, baseSha }: RewindPoint & { readonly baseSha: string },
): Promise<void> {
  for (const sha of new Set([commit, baseSha])) {
    const revision = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${sha}^{commit}`];
    const { exitCode } = await tryGit([...ON_REAL_REPOSITORY, ...revision], { gitDir: repository.commonDir });
    if (exitCode === 0) continue;
    if (rewind.onto !== undefined)
      throw refused('rewind', { ...missingOnto(sha, repository), mend: `sluice rewind ${source.runId}` });
    const what = `Commit ${sha} of run ${source.runId} is gone from ${repository.root}; git gc removes it once no ref holds it.`;
    const why = `A rewind to ${fromStage} needs the code that its source had then.`;
    const mend = sha === source.baseSha ? 'sluice run "<task>"' : `sluice rewind ${source.runId} --stage executing`;
    throw refused('rewind', { what, why, mend });
  }
}

function missingOnto(sha: string, { root }: Repository): Pick<Refusal, 'what' | 'why'> {
  return {
    what: `rewind.onto names ${sha}, and ${root} has no such commit.`,
    why: 'A run begins at a commit of its repository.',
  };
}

/** Each once. */
function refsOf({
  resumed,
  inherited,
}: {
  readonly resumed: ResumedRun;
  readonly inherited: readonly StageEntry[];
}): readonly ArtifactRef[] {
  const ofEntries = inherited.flatMap(({ end }) =>
    end === null
      ? []
      : [
          end.output,
          end.findings,
          end.commandOutput,
          end.did?.printed ?? null,
          end.did?.diff ?? null,
          end.diff ?? null,
        ],
  );
  const refs = [...Object.values(resumed.context), ...ofEntries].filter((ref): ref is ArtifactRef => ref !== null);
  return [...new Map(refs.map((ref) => [ref.sha256, ref])).values()];
}

/** As a review's are stored. */
function textOf(findings: readonly Finding[]): string {
  return JSON.stringify(findings);
}

function refuseCleaned(runId: string): (error: unknown) => never {
  return (error) => {
    if (isShortage(error)) throw error;
    throw cleanedAway(runId, messageOf(error));
  };
}

function cleanedAway(runId: string, found: string): ApplicationFailure {
  const what = `rewind.runId is ${runId}, and what that run left is not whole any more: ${found}.`;
  const why = 'A rewind needs the artifacts of its source; `sluice clean` removes them.';
  return refused('rewind', { what, why, mend: 'sluice run "<task>"' });
}

const NOTHING = 'Nothing was started.';

function refused(field: string, parts: Omit<Refusal, 'now'>): ApplicationFailure {
  return ApplicationFailure.create(refusalFailure(FAILURES.BadInput, { ...parts, now: NOTHING }, field));
}

/** The task and title are the source's, whatever the new input says. */
function inputOf(input: RunInput, source: RunRecord): RunInput {
  const { title: _title, ...rest } = input;
  const { task, title } = source.input;
  return { ...rest, task, ...(title === undefined ? {} : { title }) };
}
