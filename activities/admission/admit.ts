/**
 * Takes tasks in: each is judged by the config of its repository as its run would be, stored, and given its number.
 * Effects: folders below `<home>/items/<repoKey>`; nothing of the repository. Idempotency: by the key of each task. What one task lacks refuses that task alone.
 * Errors: RepositoryNotServed, BadRepository; BadConfig, NotTrusted where the repository's own config starts nothing.
 */
import { ApplicationFailure } from '@temporalio/common';
import { itemAdmissionOf } from '../../config/resolve/run-policy.js';
import type { AdmitInput, AdmitResult, AdmitTask, ClosedTask, RunOfTask } from '../../protocol/actors/backlog.js';
import { type ItemInput, type RunAgain, runIdOfItem } from '../../protocol/actors/item.js';
import { entryOf } from '../../protocol/actors/task-links.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { BacklogTerms } from '../../protocol/run/backlog-policy.js';
import { mayWrite } from '../../protocol/run/stages.js';
import { repoKeyOf } from '../git/refs/find-repository.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import type { Repository } from '../git/start/contract.js';
import { resolveRunPolicy } from '../opening/resolve-run-policy.js';
import { servedRepository } from '../opening/served-repository.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { ItemRecord } from '../unit/item-record.js';
import { findRunRecord } from '../unit/run-record.js';
import { ItemStore, type NumberedItem } from './number-item.js';

type Admitted = AdmitResult['tasks'][number];

export function createAdmit(deps: HostDeps): (input: AdmitInput) => Promise<AdmitResult> {
  return async (input) => {
    const repository = await servedRepository(deps, input.repo);
    const repoKey = repoKeyOf(deps.hostId, repository.commonDir);
    const judge = createJudge(deps, repository);
    const { backlog: terms } = await judge({ task: input.project });
    const at = { host: deps.hostId, repo: repository.root, repoKey };
    if (input.repoKey !== null && input.repoKey !== repoKey) {
      const why = `the backlog ${input.project} is of another repository than ${repository.root}; give this one a name of its own: project.name in its .sluice/config.yaml`;
      return { ...at, terms, tasks: input.tasks.map(() => ({ kind: 'refused', why })) };
    }
    const store = new ItemStore(deps.home.itemsDir(repoKey), deps);
    let { known } = input;
    const tasks: Admitted[] = [];
    for (const task of input.tasks) {
      const { item, ...admitted } = await admitTask({ repository, store, judge, input: { ...input, known } }, task);
      if (item !== null) known = Math.max(known, Number(item.id));
      tasks.push(
        item === null
          ? { kind: 'refused', why: admitted.why }
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
    return { ...at, terms, tasks };
  };
}

type Judge = ReturnType<typeof createJudge>;

interface At {
  readonly repository: Repository;
  readonly store: ItemStore;
  readonly judge: Judge;
  readonly input: AdmitInput;
}

/** `why`: of one that is refused. */
async function admitTask(
  { store, judge, input, repository }: At,
  task: AdmitTask,
): Promise<{ readonly item: NumberedItem | null; readonly why: string }> {
  if ('again' in task) {
    const item = store.read(task.again);
    const isHere = item?.record.project === input.project;
    return { item: isHere ? item : null, why: `there is no task ${task.again} on this host any more` };
  }
  const { key, run, priority, gate, kind, dependsOn, files } = task;
  let admission: ItemRecord['admission'] = null;
  const before = store.find(key);
  if (before !== null) {
    if (textOf(before.record.run) === textOf(run)) return { item: before, why: '' };
    return { item: null, why: `its key is that of item ${before.id}, which has another text` };
  }
  const needed = dependsOn.map((one) => idOf(store, key, one));
  const missing = needed.findIndex((id) => id === null);
  if (missing >= 0) return { item: null, why: `it depends on ${dependsOn[missing]}, and there is no such task` };
  try {
    const policy = await judge(run);
    const project = policy.project.name ?? repository.project;
    if (project !== input.project) return { item: null, why: elsewhere(input.project, { project, repository }) };
    const writes = kind === 'answer' ? policy.stages.filter(mayWrite) : [];
    if (writes.length > 0) return { item: null, why: `an answer changes nothing, and ${writes.join(', ')} may` };
    admission = itemAdmissionOf(policy, repository.project);
    if (kind === 'answer' && !policy.stages.includes('planning'))
      return { item: null, why: 'an answer is the plan of its run, and its stages have no planning' };
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    return { item: null, why: error.message };
  }
  const { project, by, known } = input;
  const createdAt = new Date().toISOString();
  const links = { dependsOn: needed.filter((id) => id !== null), files };
  const record: ItemRecord = {
    version: 1,
    key,
    project,
    run,
    priority,
    gate,
    kind,
    ...links,
    admission,
    createdAt,
    by,
  };
  return { item: store.add(record, known), why: '' };
}

/** One repository has one backlog, whoever hands its tasks in. */
function elsewhere(
  asked: string,
  { project, repository }: { readonly project: string; readonly repository: Repository },
): string {
  return `tasks of ${repository.root} belong to the backlog ${project}, not to ${asked}; project.name in its .sluice/config.yaml says so, or the name of its folder`;
}

/** What the same text of a config is known by is no part of a task. */
function textOf({ configHash: _configHash, ...run }: RunOfTask): string {
  return JSON.stringify(run);
}

/** A place in the list that it came in is known by the key that its task has. Null: there is no such task. */
function idOf(store: ItemStore, key: string, dependency: string): string | null {
  const entry = entryOf(dependency);
  if (entry === null) return store.read(dependency)?.id ?? null;
  return store.find(`${key.slice(0, key.lastIndexOf('#'))}#${entry}`)?.id ?? null;
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
  return { key, runs, by, note: task.note, at: new Date().toISOString() };
}

function inputOf(
  { id, hash, record }: NumberedItem,
  { terms, ...at }: Pick<ItemInput, 'project' | 'host' | 'repo' | 'repoKey'> & { readonly terms: BacklogTerms },
): Omit<ItemInput, 'again'> {
  const { key, run, priority, kind, createdAt, by, dependsOn, files } = record;
  return {
    ...{ ...at, id, key, title: titleOf(run), hash, priority, attended: run.attended ?? true, createdAt, by },
    ...{ kind, dependsOn, files, admission: record.admission ?? null },
    gate: record.gate ?? (terms.gate === 'start' ? 'start' : null),
    parkedDays: terms.parkedDays,
    slotUntil: terms.slotUntil,
  };
}
