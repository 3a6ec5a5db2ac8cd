/** What the facade can do with backlogs and items: have one there, look at them. What else is told to them are messages like any other. */
import type { Client } from '@temporalio/client';
import { nameOf } from '../../config/system/error-code.js';
import { BACKLOG_WORKFLOW, type BacklogView, backlogId } from '../../protocol/actors/backlog.js';
import {
  HEAD_STATES,
  type HeadState,
  ITEM_REASONS,
  ITEM_STATES,
  ITEM_WAITS,
  ITEM_WORKFLOW,
  type ItemReason,
  type ItemRef,
  type ItemStateName,
  type ItemView,
  itemOfWorkflow,
  itemWorkflowId,
} from '../../protocol/actors/item.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../protocol/limits.js';
import { STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { amountIn, type Fields, fieldsOf, nameIn, textIn, wordIn } from '../../protocol/text/fields.js';

/** One line of `sluice task list`, as the item wrote it last. */
export interface ListedItem extends ItemRef {
  readonly workflowId: string;
  readonly title: string | null;
  readonly repo: string | null;
  readonly state: ItemStateName;
  readonly reason: ItemReason | null;
  readonly head: HeadState | null;
  readonly isHeld: boolean;
  readonly waits: ItemView['waits'];
  readonly why: string | null;
  readonly run: string | null;
  readonly runs: number;
  readonly branch: string | null;
  readonly startedAt: string;
  readonly closedAt: string | null;
}

export interface BacklogCalls {
  /** Answers its workflow id. Effects: starts it where it is not there. */
  openBacklog(project: string): Promise<string>;
  /** Null: nothing was ever handed in. Errors: a deadline where no worker answers. */
  backlog(project: string): Promise<BacklogView | null>;
  /** The newest first, the open ones before those that are closed. */
  items(limit: number): Promise<readonly ListedItem[]>;
  /** Null: there is none. Errors: as of `backlog`. */
  item(ref: ItemRef): Promise<ItemView | null>;
}

type Within = <T>(call: () => Promise<T>) => Promise<T>;

/** `within` gives a call its deadline. */
export function backlogCalls(client: Client, within: Within): BacklogCalls {
  const statusOf = <View>(workflowId: string) =>
    within(() => client.workflow.getHandle(workflowId).query<View>(STATUS_QUERY)).catch((error: unknown) => {
      if (nameOf(error) === 'WorkflowNotFoundError') return null;
      throw error;
    });
  return {
    async openBacklog(project) {
      const workflowId = backlogId(project);
      await within(() =>
        client.workflow.start(BACKLOG_WORKFLOW, {
          workflowId,
          taskQueue: TASK_QUEUE,
          args: [],
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `backlog of ${project}`,
        }),
      );
      return workflowId;
    },
    backlog: (project) => statusOf<BacklogView>(backlogId(project)),
    items: (limit) => within(() => listItems(client, limit)),
    item: (ref) => statusOf<ItemView>(itemWorkflowId(ref)),
  };
}

async function listItems({ workflow }: Client, limit: number): Promise<readonly ListedItem[]> {
  const found = new Map<string, ListedItem>();
  const query = `WorkflowType = "${ITEM_WORKFLOW}"`;
  for await (const { workflowId, memo, startTime, closeTime } of workflow.list({ query, pageSize: limit })) {
    const ref = itemOfWorkflow(workflowId);
    if (ref === null || found.has(workflowId)) continue;
    found.set(workflowId, listedItem({ ...ref, workflowId }, fieldsOf(memo), { startTime, closeTime }));
    if (found.size >= limit) break;
  }
  const items = [...found.values()];
  return [...items.filter(({ closedAt }) => closedAt === null), ...items.filter(({ closedAt }) => closedAt !== null)];
}

/** The memo is written by the item and read kindly here. */
function listedItem(
  ref: ItemRef & { readonly workflowId: string },
  memo: Fields,
  { startTime, closeTime }: { readonly startTime: Date; readonly closeTime: Date | undefined },
): ListedItem {
  return {
    ...ref,
    title: textIn(memo, 'title'),
    repo: nameIn(memo, 'repo'),
    why: textIn(memo, 'why'),
    state: wordIn(memo, 'state', ITEM_STATES) ?? 'queued',
    reason: wordIn(memo, 'reason', ITEM_REASONS),
    head: wordIn(memo, 'head', HEAD_STATES),
    isHeld: memo['isHeld'] === true,
    waits: wordIn(memo, 'waits', ITEM_WAITS),
    run: nameIn(memo, 'run'),
    runs: amountIn(memo, 'runs') ?? 0,
    branch: nameIn(memo, 'branch'),
    startedAt: startTime.toISOString(),
    closedAt: closeTime?.toISOString() ?? null,
  };
}
