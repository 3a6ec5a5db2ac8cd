/** What the facade can do with landings and merge queues: ask for one, look at them. What else is told to them are messages like any other. */
import type { Client } from '@temporalio/client';
import { nameOf } from '../../config/system/error-code.js';
import { PULL_KINDS } from '../../protocol/actors/decide-pull.js';
import {
  LANDING_GATES,
  type LandingGate,
  type LandingInput,
  type LandingView,
  type PullView,
} from '../../protocol/actors/landing.js';
import {
  ENTRY_STATES,
  type EntryState,
  MERGE_QUEUE_WORKFLOW,
  type MergeQueueView,
} from '../../protocol/actors/merge-queue.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../protocol/limits.js';
import { LANDING_WORKFLOW, landingId, runIdOfLanding, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { type Fields, fieldsOf, nameIn, textIn, timeIn, wordIn } from '../../protocol/text/fields.js';
import type { ListedExecution } from './listed-execution.js';

export interface StartLanding extends Pick<LandingInput, 'onto'> {
  readonly runId: string;
  /** Of the run. */
  readonly workflowId: string;
  /** Of the person. */
  readonly by: string;
}

/** One line of `sluice landings`, of the newest landing of a run, as it wrote it last. */
export interface ListedLanding {
  readonly runId: string;
  readonly merge: LandingView['merge'];
  readonly base: string | null;
  readonly entry: EntryState | null;
  readonly gate: LandingGate | null;
  readonly paused: boolean;
  /** What shows it on a forge; null: nothing. */
  readonly pull: PullView | null;
  /** The run that makes another head of it; null: none does. */
  readonly repair: string | null;
  readonly why: string | null;
  readonly startedAt: string;
  readonly closedAt: string | null;
}

export interface LandingCalls {
  /** Begins the landing of a run; one that is open is asked again. Harmless when repeated. */
  land(landing: StartLanding): Promise<void>;
  /** Null: nobody asked for it. Errors: a deadline where no worker answers. */
  landing(runId: string): Promise<LandingView | null>;
  /** The newest first, one a run. */
  landings(): Promise<readonly ListedLanding[]>;
  /** The open ones. `view` null: no worker answers. */
  mergeQueues(): Promise<readonly { readonly workflowId: string; readonly view: MergeQueueView | null }[]>;
}

const MAX_LANDINGS = 1_000;
const MAX_QUEUES = 200;

type Within = <T>(call: () => Promise<T>) => Promise<T>;

/** `within` gives a call its deadline. */
export function landingCalls(client: Client, within: Within): LandingCalls {
  const statusOf = <View>(workflowId: string) =>
    within(() => client.workflow.getHandle(workflowId).query<View>(STATUS_QUERY));
  return {
    async land({ runId, workflowId: ofRun, onto, by }) {
      const workflowId = landingId(runId);
      await within(() =>
        client.workflow.signalWithStart(LANDING_WORKFLOW, {
          workflowId,
          taskQueue: TASK_QUEUE,
          args: [{ workflowId: ofRun, onto }],
          signal: 'land',
          signalArgs: [{ onto, by }],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          staticSummary: `land ${runId}`,
        }),
      );
    },
    landing: (runId) =>
      statusOf<LandingView>(landingId(runId)).catch((error: unknown) => {
        if (nameOf(error) === 'WorkflowNotFoundError') return null;
        throw error;
      }),
    landings: () => within(() => listLandings(client)),
    async mergeQueues() {
      const queues = await within(() => listQueues(client));
      const viewOf = (workflowId: string) => statusOf<MergeQueueView>(workflowId).catch(() => null);
      return Promise.all(queues.map(async (workflowId) => ({ workflowId, view: await viewOf(workflowId) })));
    },
  };
}

function listLandings({ workflow }: Client): Promise<readonly ListedLanding[]> {
  const query = `WorkflowType = "${LANDING_WORKFLOW}"`;
  return newestLandings(workflow.list({ query, pageSize: MAX_LANDINGS }));
}

/** Of the newest first; one a run. */
export async function newestLandings(
  executions: AsyncIterable<ListedExecution> | Iterable<ListedExecution>,
): Promise<readonly ListedLanding[]> {
  const newest = new Map<string, ListedLanding>();
  for await (const { workflowId, memo, startTime, closeTime } of executions) {
    const runId = runIdOfLanding(workflowId);
    if (!newest.has(runId)) newest.set(runId, listedLanding(runId, fieldsOf(memo), { startTime, closeTime }));
    if (newest.size >= MAX_LANDINGS) break;
  }
  return [...newest.values()];
}

async function listQueues({ workflow }: Client): Promise<readonly string[]> {
  const found: string[] = [];
  const query = `WorkflowType = "${MERGE_QUEUE_WORKFLOW}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId } of workflow.list({ query, pageSize: MAX_QUEUES })) {
    found.push(workflowId);
    if (found.length >= MAX_QUEUES) break;
  }
  return found;
}

/** The memo is written by the landing and read kindly here. */
function listedLanding(
  runId: string,
  memo: Fields,
  { startTime, closeTime }: { readonly startTime: Date; readonly closeTime?: Date | undefined },
): ListedLanding {
  return {
    runId,
    base: nameIn(memo, 'base'),
    repair: nameIn(memo, 'repair'),
    why: textIn(memo, 'why'),
    merge: wordIn(memo, 'merge', ['unmerged', 'queued', 'merged', 'abandoned']) ?? 'unmerged',
    entry: wordIn(memo, 'entry', ENTRY_STATES),
    gate: wordIn(memo, 'gate', LANDING_GATES),
    paused: memo['paused'] === true,
    pull: pullIn(memo),
    startedAt: startTime.toISOString(),
    closedAt: closeTime?.toISOString() ?? null,
  };
}

function pullIn(memo: Fields): ListedLanding['pull'] {
  const { pull: number } = memo;
  const url = textIn(memo, 'url');
  if (typeof number !== 'number' || url === null) return null;
  return { number, url, at: wordIn(memo, 'at', PULL_KINDS), limitedUntil: timeIn(memo, 'limitedUntil') };
}
