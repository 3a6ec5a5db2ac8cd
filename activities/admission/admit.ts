/**
 * Takes tasks in: each is judged by the config of its repository as its run would be, stored, and given its number.
 * Effects: folders below `<home>/items/<repoKey>`; nothing of the repository. Idempotency: by the key of each task. What one task lacks refuses that task alone.
 * Errors: RepositoryNotServed, BadRepository; BadConfig, NotTrusted where the repository's own config starts nothing.
 */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { itemAdmissionOf } from '../../config/resolve/run-policy.js';
import { createSerializer } from '../../config/system/serialize.js';
import {
  type AdmitInput,
  type AdmitResult,
  type AdmitTask,
  type ClosedTask,
  type NewTask,
  type RunOfTask,
  textOfRun,
} from '../../protocol/actors/backlog.js';
import { type ItemInput, type RunAgain, runIdOfItem } from '../../protocol/actors/item.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import { entryOf } from '../../protocol/actors/task-links.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { isCompared } from '../../protocol/run/admission-policy.js';
import type { BacklogTerms } from '../../protocol/run/backlog-policy.js';
import { mayWrite } from '../../protocol/run/stages.js';
import { repoKeyOf } from '../git/refs/find-repository.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import type { Repository } from '../git/start/contract.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { servedRepository } from '../policy/served-repository.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { ItemRecord } from '../unit/item-record.js';
import { findRunRecord } from '../unit/run-record.js';
import { passOver, TaskComparison } from './compare-tasks.js';
import type { IndexOf } from './dedup/index/index-thread.js';
import { ItemStore, type NumberedItem } from './number-item.js';

type Admitted = AdmitResult['tasks'][number];

const serialize = createSerializer();

export function createAdmit(deps: HostDeps, indexOf: IndexOf): (input: AdmitInput) => Promise<AdmitResult> {
  return (input) =>
    // Without a place: each attempt takes in what those before it did not.
    attend(deps, randomUUID(), async () => {
      const repository = await servedRepository(deps, input.repo);
      const repoKey = repoKeyOf(deps.hostId, repository.commonDir);
      // An attempt that was given up may be at work still: what it stores is found by the next, and neither compared with itself nor stored twice.
      return serialize(repoKey, () => admit({ deps, indexOf, repository, repoKey }, input));
    });
}

interface Host {
  readonly deps: HostDeps;
  readonly indexOf: IndexOf;
  readonly repository: Repository;
  readonly repoKey: string;
}

async function admit({ deps, indexOf, repository, repoKey }: Host, input: AdmitInput): Promise<AdmitResult> {
  const judge = createJudge(deps, repository);
  const dir = deps.home.itemsDir(repoKey);
  // Neither needs the other, and ten thousand tasks take some milliseconds to be listed.
  const [{ backlog: terms, admission }, store] = await Promise.all([
    judge({ task: input.project }),
    ItemStore.open(dir, deps),
  ]);
  const at = { host: deps.hostId, repo: repository.root, repoKey };
  if (input.repoKey !== null && input.repoKey !== repoKey) {
    const why = `the backlog ${input.project} is of another repository than ${repository.root}; give this one a name of its own: project.name in its .sluice/config.yaml`;
    return { ...at, terms, tasks: input.tasks.map(() => ({ kind: 'refused', why })) };
  }
  const index = indexOf({ dir, project: input.project });
  const comparison = new TaskComparison({ index, store, input, failpoint: deps.failpoint });
  const compares = input.dryRun !== true && isCompared(admission);
  if (compares) await comparison.begin();
  let { known } = input;
  const tasks: Admitted[] = [];
  for (const task of input.tasks) {
    const place = { repository, store, judge, comparison, input: { ...input, known } };
    const { item, ...admitted } = await admitTask(place, task);
    if (item !== null) known = Math.max(known, Number(item.id));
    tasks.push(
      item === null
        ? whyNot(admitted)
        : {
            kind: 'admitted',
            isKnown: item.isKnown,
            item: {
              ...inputOf(item, { ...at, project: input.project, terms }),
              again: 'again' in task ? againOf(deps, { task, repoKey, input }) : null,
            },
          },
    );
  }
  return { ...at, terms, ...(compares ? { compares } : {}), tasks };
}

function whyNot({ why, dedup }: Omit<Admission, 'item'>): Admitted {
  return dedup === undefined ? { kind: 'refused', why } : { kind: 'compared', dedup };
}

type Judge = ReturnType<typeof createJudge>;

interface At {
  readonly repository: Repository;
  readonly store: ItemStore;
  readonly judge: Judge;
  readonly comparison: TaskComparison;
  readonly input: AdmitInput;
}

/** `why`: of one that is refused. `dedup`: of one that was only compared. */
interface Admission {
  readonly item: NumberedItem | null;
  readonly why: string;
  readonly dedup?: TaskDedup;
}

async function admitTask(at: At, task: AdmitTask): Promise<Admission> {
  const { store, input } = at;
  if ('again' in task) return goOn(at, task);
  const before = input.dryRun === true ? null : store.find(task.key);
  if (before === null) return admitNew(at, task);
  const { project } = before.record;
  // What it came to there is not known to this backlog, which would run it once more.
  if (project !== input.project)
    return { item: null, why: `its key is that of item ${before.id} of the backlog ${project}; give it another key` };
  if (textOfRun(before.record.run) !== textOfRun(task.run))
    return { item: null, why: `its key is that of item ${before.id}, which has another text` };
  return task.recompare === true ? recompared(at, task, before) : { item: before, why: '' };
}

async function goOn({ store, input, comparison }: At, { again, force }: ClosedTask): Promise<Admission> {
  const item = store.read(again);
  if (item?.record.project !== input.project)
    return { item: null, why: `there is no task ${again} on this host any more` };
  const { dedup } = item.record;
  // One that is closed as a duplicate never began: nobody else reads its record. It may have been reopened since.
  if (force === true && dedup?.duplicate != null && store.isClosedAsDuplicate(item)) {
    const forced = store.replace(item, { ...item.record, dedup: passOver(dedup, input.by) });
    await comparison.keep(forced);
    return { item: { ...forced, isKnown: true }, why: '' };
  }
  await comparison.reopen(item);
  return { item, why: '' };
}

/** Its backlog has not begun it: it did not believe what was said of it, or of one that it depends on. */
async function recompared(at: At, task: NewTask & Pick<AdmitTask, 'key'>, before: NumberedItem): Promise<Admission> {
  const { store, judge, comparison } = at;
  const needed = neededBy(at, task);
  if ('why' in needed) return { item: null, why: needed.why };
  const { dedup, ...policy } = await judge(task.run);
  const record = { ...before.record, dependsOn: needed.ids };
  const compared = isCompared(policy.admission) ? { dedup: await comparison.judge(task, dedup) } : {};
  const item = store.replace(before, { ...record, ...compared });
  await comparison.keep(item);
  return { item, why: '' };
}

async function admitNew(at: At, task: NewTask & Pick<AdmitTask, 'key'>): Promise<Admission> {
  const { store, judge, input, repository, comparison } = at;
  const { key, run, priority, gate, kind, files } = task;
  let policy: Awaited<ReturnType<Judge>>;
  const needed = neededBy(at, task);
  if ('why' in needed) return { item: null, why: needed.why };
  try {
    policy = await judge(run);
    const project = policy.project.name ?? repository.project;
    if (project !== input.project) return { item: null, why: elsewhere(input.project, { project, repository }) };
    const writes = kind === 'answer' ? policy.stages.filter(mayWrite) : [];
    if (writes.length > 0) return { item: null, why: `an answer changes nothing, and ${writes.join(', ')} may` };
    if (kind === 'answer' && !policy.stages.includes('planning'))
      return { item: null, why: 'an answer is the plan of its run, and its stages have no planning' };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    return { item: null, why: error.message };
  }
  const compares = isCompared(policy.admission) || input.dryRun === true;
  const dedup = compares ? await comparison.judge(task, policy.dedup) : undefined;
  if (input.dryRun === true && dedup !== undefined) return { item: null, why: '', dedup };
  const { project, by, known } = input;
  const createdAt = new Date().toISOString();
  const record: ItemRecord = {
    version: 1,
    key,
    project,
    run,
    priority,
    gate,
    kind,
    dependsOn: needed.ids,
    files,
    admission: itemAdmissionOf(policy, { project: repository.project, force: task.force }),
    ...(dedup === undefined ? {} : { dedup }),
    createdAt,
    by,
  };
  const item = store.add(record, known);
  await comparison.keep(item);
  return { item, why: '' };
}

/** One repository has one backlog, whoever hands its tasks in. */
function elsewhere(
  asked: string,
  { project, repository }: { readonly project: string; readonly repository: Repository },
): string {
  return `tasks of ${repository.root} belong to the backlog ${project}, not to ${asked}; project.name in its .sluice/config.yaml says so, or the name of its folder`;
}

/** The ids of what it depends on. */
function neededBy(
  at: At,
  { key, dependsOn }: Pick<AdmitTask & NewTask, 'key' | 'dependsOn'>,
): { readonly ids: readonly string[] } | { readonly why: string } {
  const ids: string[] = [];
  for (const dependency of dependsOn) {
    const id = idOf(at, key, dependency);
    if (id === null) return { why: `it depends on ${dependency}, and there is no such task` };
    ids.push(id);
  }
  return { ids };
}

/** A place in the list that it came in is known by the key that its task has. Null: its backlog has no such task. */
function idOf({ store, input }: At, key: string, dependency: string): string | null {
  const entry = entryOf(dependency);
  const item = entry === null ? store.read(dependency) : store.find(`${key.slice(0, key.lastIndexOf('#'))}#${entry}`);
  if (item?.record.project !== input.project) return null;
  // Where that one came as a duplicate, the task is done once the other is.
  return (entry === null ? null : item.record.dedup?.duplicate?.of) ?? item.id;
}

/** The policy that a run of this task would have now: what cannot start is refused before anybody waits for it. */
function createJudge(deps: HostDeps, repository: Repository) {
  const judged = new Map<string, ReturnType<typeof resolve>>();
  const resolve = async (run: RunOfTask) => {
    const { sha: baseSha } = await resolveBase(repository, run.base);
    return (await resolveRunPolicy(deps, { run: { ...run, repo: repository.root }, repository, baseSha })).policy;
  };
  return (run: RunOfTask) => {
    const { task: _task, title: _title, ...said } = run;
    const key = JSON.stringify(said);
    const policy = judged.get(key) ?? resolve(run);
    judged.set(key, policy);
    return policy;
  };
}

interface GoingOn {
  readonly task: ClosedTask & Pick<AdmitTask, 'key'>;
  readonly repoKey: string;
  readonly input: AdmitInput;
}

/** A run id is never given twice: whatever this host knows of counts. */
function againOf({ home }: HostDeps, { task: { key, ...task }, repoKey, input: { project, by } }: GoingOn): RunAgain {
  const ref = { project, id: task.again };
  let { runs } = task;
  while (findRunRecord(home.stateDir(repoKey, runIdOfItem(ref, runs + 1))) !== null) runs += 1;
  const { note, force } = task;
  return { key, runs, by, note, at: new Date().toISOString(), ...(force === true ? { force } : {}) };
}

function inputOf(
  { id, hash, record }: NumberedItem,
  { terms, ...at }: Pick<ItemInput, 'project' | 'host' | 'repo' | 'repoKey'> & { readonly terms: BacklogTerms },
): Omit<ItemInput, 'again'> {
  const { key, run, priority, kind, createdAt, by, dependsOn, files, dedup } = record;
  return {
    ...at,
    id,
    key,
    title: titleOf(run),
    hash,
    priority,
    attended: run.attended ?? true,
    createdAt,
    by,
    kind,
    dependsOn,
    files,
    admission: record.admission,
    ...(dedup === undefined ? {} : { dedup }),
    gate: record.gate ?? (terms.gate === 'start' ? 'start' : null),
    parkedDays: terms.parkedDays,
    slotUntil: terms.slotUntil,
  };
}
