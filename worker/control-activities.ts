/** What a workflow cannot do by itself, on the queue of the workflows: it starts a workflow that may be there already, and asks the server. Touches no host. */
import { setTimeout as delay } from 'node:timers/promises';
import { WithStartWorkflowOperation, type WorkflowClient, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ControlActivities } from '../activities/index.js';
import type { RunAnswer } from '../activities/landing/queue-place.js';
import { nameOf } from '../config/system/error-code.js';
import {
  BACKLOG_WORKFLOW,
  backlogId,
  type CreateAnswer,
  type HandInInput,
  ITEM_CHANGED_SIGNAL,
  type Verdict,
} from '../protocol/actors/backlog.js';
import {
  ITEM_REASONS,
  ITEM_WORKFLOW,
  type ItemFound,
  type ItemInput,
  type ItemTransition,
  itemWorkflowId,
  type OpenItems,
} from '../protocol/actors/item.js';
import { readTransition } from '../protocol/actors/item-input.js';
import type { RunToLand } from '../protocol/actors/landing.js';
import { MERGE_QUEUE_WORKFLOW, mergeQueueId } from '../protocol/actors/merge-queue.js';
import type { Failpoint } from '../protocol/failpoints.js';
import { FAILURES } from '../protocol/failures.js';
import { WORKFLOW_TASK_TIMEOUT } from '../protocol/limits.js';
import {
  COMPLETED_UPDATE,
  LANDING_WORKFLOW,
  landingId,
  QUOTA_GATE_WORKFLOW,
  quotaGateId,
  STATUS_QUERY,
  TASK_QUEUE,
  UNPROCESSED_UPDATE,
} from '../protocol/names.js';
import { fieldsOf, nameIn, wordIn } from '../protocol/text/fields.js';
import type { Shown } from '../workflows/actor/actor.js';
import { ITEM_RULES, newItem } from '../workflows/item/item-table.js';
import { showItem } from '../workflows/item/item-view.js';
import { notAsked } from '../workflows/landing/landing-state.js';
import { LANDING_RULES } from '../workflows/landing/landing-table.js';
import { showLanding } from '../workflows/landing/landing-view.js';
import { createReadAnswer } from './ask-server.js';

/** Unit: ms. */
const CLOSING_MS = 1_000;
const LOOK_AGAIN_MS = 50;

/** Starts under way. */
const AT_ONCE = 50;

const UNASKED = { onto: null, isUnasked: true } as const;

type Server = Pick<WorkflowClient, 'signalWithStart' | 'getHandle' | 'list' | 'start' | 'executeUpdateWithStart'>;

/** An actor and the message that is its first where it is not there. */
interface FirstMessage {
  readonly type: string;
  readonly workflowId: string;
  readonly args: readonly unknown[];
  readonly signal: string;
  readonly argument: unknown;
  readonly summary: string;
  readonly memo?: Readonly<Record<string, unknown>>;
}

export function createControlActivities(workflow: Server, failpoint: Failpoint): ControlActivities {
  const tellActor = async (first: FirstMessage) => {
    failpoint('control.before-start');
    await signalWithStart(workflow, first);
    failpoint('control.after-start');
  };
  return {
    ...tellingActivities(tellActor),
    async startItems({ items }) {
      failpoint('control.before-start');
      for (let from = 0; from < items.length; from += AT_ONCE)
        await Promise.all(items.slice(from, from + AT_ONCE).map((item) => startItem(workflow, item)));
      failpoint('control.after-start');
    },
    async handIn({ project, create }) {
      failpoint('control.before-start');
      const verdict = await handIn(workflow, project, create);
      failpoint('control.after-start');
      return verdict;
    },
    findItem: (workflowId) => findItem(workflow, workflowId),
    findOpenItems: (project) => findOpenItems(workflow, project),
    readRunToLand: (workflowId) => readRunToLand(workflow, workflowId),
  };
}

type TellingActivities = Pick<ControlActivities, 'parkAtQuotaGate' | 'enqueue' | 'beginLanding' | 'tellBacklog'>;

function tellingActivities(tellActor: (first: FirstMessage) => Promise<void>): TellingActivities {
  return {
    parkAtQuotaGate: ({ account, park }) =>
      tellActor({
        type: QUOTA_GATE_WORKFLOW,
        workflowId: quotaGateId(account),
        args: [],
        signal: 'park',
        argument: park,
        summary: `usage limit of ${account}`,
      }),
    enqueue: ({ queue, entry }) =>
      tellActor({
        type: MERGE_QUEUE_WORKFLOW,
        workflowId: mergeQueueId(queue),
        args: [queue],
        signal: 'enqueue',
        argument: entry,
        summary: `merge queue of ${queue.branch}`,
      }),
    beginLanding: ({ runId, ...given }) => {
      const input = { ...UNASKED, ...given };
      return tellActor({
        type: LANDING_WORKFLOW,
        workflowId: landingId(runId),
        args: [input],
        signal: 'land',
        argument: UNASKED,
        summary: `land ${runId}`,
        memo: shownFirst(showLanding(notAsked(runId, { ...input, self: '' })), LANDING_RULES.length),
      });
    },
    tellBacklog: ({ project, row }) =>
      tellActor({
        type: BACKLOG_WORKFLOW,
        workflowId: backlogId(project),
        args: [],
        signal: ITEM_CHANGED_SIGNAL,
        argument: row,
        summary: `backlog of ${project}`,
      }),
  };
}

async function readRunToLand(workflow: Server, workflowId: string): Promise<RunToLand> {
  const readAnswer = createReadAnswer(workflow);
  const answer = await readSoon(() => readAnswer(workflowId));
  if (answer.kind === 'none') return { kind: 'none', host: await hostOf(workflow, workflowId) };
  if (answer.kind === 'open') return answer;
  const { outcome, verdict, source, blockedReason, error, branch, headSha, isLanding, document } = answer.result;
  const change = { source, branch, headSha, isLanding, document };
  return { kind: 'answer', owner: answer.owner, outcome, verdict, blockedReason, error, ...change };
}

/** What the backlog refuses is a verdict too. Errors: what it has no room for yet, was not shown, or was closed over, which counts once however often it is handed in. */
async function handIn(workflow: Server, project: string, create: HandInInput['create']): Promise<Verdict | null> {
  const startWorkflowOperation = new WithStartWorkflowOperation(BACKLOG_WORKFLOW, {
    workflowId: backlogId(project),
    taskQueue: TASK_QUEUE,
    args: [],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `backlog of ${project}`,
  });
  try {
    const started = { startWorkflowOperation, args: [create] };
    // Workflows of this type answer this.
    const { verdicts } = (await workflow.executeUpdateWithStart('create', started)) as CreateAnswer;
    return verdicts?.[0] ?? null;
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const type = error.cause instanceof ApplicationFailure ? error.cause.type : null;
    if (type === FAILURES.MessageBusy || type === UNPROCESSED_UPDATE || type === COMPLETED_UPDATE) throw error;
    return { kind: 'refused', why: error.cause?.message ?? error.message };
  }
}

/** Of visibility, which is a second behind. */
async function findOpenItems(workflow: Pick<Server, 'list'>, project: string): Promise<OpenItems> {
  const begin = itemWorkflowId({ project, id: '' });
  const query = `WorkflowType = "${ITEM_WORKFLOW}" AND ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${begin}"`;
  const ids: string[] = [];
  for await (const { workflowId } of workflow.list({ query, pageSize: PAGE })) ids.push(workflowId.slice(begin.length));
  return { ids };
}

const PAGE = 1_000;

/** One that was terminated or failed is closed like one that was given up. */
async function findItem(workflow: Server, workflowId: string): Promise<ItemFound> {
  try {
    const handle = workflow.getHandle(workflowId);
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') return { kind: 'open' };
    const answer = status.name === 'COMPLETED' ? fieldsOf(await handle.result()) : {};
    return { kind: 'closed', reason: wordIn(answer, 'reason', ITEM_REASONS) ?? 'aborted' };
  } catch (error) {
    if (nameOf(error) !== 'WorkflowNotFoundError') throw error;
    return { kind: 'none' };
  }
}

/** One that is there, or was, is as good as started. */
async function startItem(workflow: Server, item: ItemInput): Promise<void> {
  const { project, id, title, again } = item;
  const before = again === null ? null : await findBefore(workflow, item);
  // The same word was taken before, and what it began may be closed by now.
  if (again !== null && before?.again === again.key) return;
  const closed = before?.closed ?? null;
  const input = again === null || closed === null ? item : { ...item, again: { ...again, closed } };
  try {
    await workflow.start(ITEM_WORKFLOW, {
      workflowId: itemWorkflowId(item),
      taskQueue: TASK_QUEUE,
      args: [input],
      // One that was closed goes on only where somebody says so.
      workflowIdReusePolicy: again === null ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      staticSummary: `${project}/${id}: ${title}`,
      memo: { ...shownFirst(showItem(newItem(item)), ITEM_RULES.length), again: again?.key ?? null },
    });
  } catch (error) {
    if (nameOf(error) !== 'WorkflowExecutionAlreadyStartedError') throw error;
  }
}

/** What it would show itself, by an event of its own. */
function shownFirst({ memo }: Shown, rules: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries({ ...memo, rules }).filter(([, value]) => value !== null));
}

interface Before {
  /** Key of the word by which it went on; null: it began. */
  readonly again: string | null;
  /** The line with which it closed; null: it is open, or was ended without one. */
  readonly closed: ItemTransition | null;
}

/** Its execution of before. Null: the server knows none. */
async function findBefore(workflow: Server, item: ItemInput): Promise<Before | null> {
  try {
    const handle = workflow.getHandle(itemWorkflowId(item));
    const { memo, status } = await handle.describe();
    const { journal } = status.name === 'COMPLETED' ? fieldsOf(await handle.result()) : {};
    const lines = Array.isArray(journal) ? journal.map(readTransition) : [];
    // What was noted of it once it was closed says less.
    const closed = lines.findLast((line) => line?.to === 'closed' && line.from !== 'closed') ?? null;
    return { again: nameIn(fieldsOf(memo), 'again'), closed };
  } catch (error) {
    if (nameOf(error) !== 'WorkflowNotFoundError') throw error;
    return null;
  }
}

/** A run tells its landing a moment before it closes, and the shortest timer of a workflow takes the server a second. */
async function readSoon(read: () => Promise<RunAnswer>): Promise<RunAnswer> {
  const until = performance.now() + CLOSING_MS;
  for (;;) {
    const answer = await read();
    if (answer.kind !== 'open' || performance.now() >= until) return answer;
    await delay(LOOK_AGAIN_MS);
  }
}

/** By its history, while the server keeps that. */
async function hostOf(workflow: Server, workflowId: string): Promise<string | null> {
  const view: unknown = await workflow
    .getHandle(workflowId)
    .query(STATUS_QUERY)
    .catch(() => null);
  return nameIn(fieldsOf(view), 'host');
}

async function signalWithStart(
  workflow: Server,
  { type, workflowId, args, signal, argument, summary, memo }: FirstMessage,
): Promise<void> {
  await workflow.signalWithStart(type, {
    workflowId,
    taskQueue: TASK_QUEUE,
    args: [...args],
    signal,
    signalArgs: [argument],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: summary,
    ...(memo === undefined ? {} : { memo: { ...memo } }),
  });
}
