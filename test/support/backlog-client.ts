/** What a person does with a backlog, by Temporal's own client. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { BACKLOG_WORKFLOW, type BacklogView, backlogId, type CreateAnswer } from '../../protocol/actors/backlog.js';
import { type ItemStateName, type ItemView, itemWorkflowId } from '../../protocol/actors/item.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { until } from './until.js';

export interface BacklogOf {
  readonly project: string;
  /** Answers once the tasks have their numbers, or their host is away. */
  create(tasks: readonly (string | Record<string, unknown>)[], key?: string, by?: string): Promise<CreateAnswer>;
  status(): Promise<BacklogView>;
  /** To the backlog. */
  say(name: string, argument?: unknown): Promise<MessageAnswer>;
  item(id: string): Promise<ItemView>;
  /** To one of its items. Errors: WorkflowUpdateFailedError where that refuses. */
  tell(id: string, name: string, argument?: unknown): Promise<MessageAnswer>;
  /** Until the item is there. */
  reaches(id: string, state: ItemStateName): Promise<ItemView>;
}

export async function openBacklog(
  client: Client,
  { project, repo, host }: { readonly project: string; readonly repo: string; readonly host: string },
): Promise<BacklogOf> {
  const handle = await client.workflow.start(BACKLOG_WORKFLOW, {
    workflowId: backlogId(project),
    taskQueue: TASK_QUEUE,
    args: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  const itemOf = (id: string) => client.workflow.getHandle(itemWorkflowId({ project, id }));
  const item = (id: string) => itemOf(id).query<ItemView>(STATUS_QUERY);
  return {
    project,
    create: (tasks, key = randomUUID(), by = 'ann') =>
      handle.executeUpdate<CreateAnswer, [unknown]>('create', {
        args: [{ key, repo, host, by, tasks: tasks.map((task) => (typeof task === 'string' ? { task } : task)) }],
      }),
    status: () => handle.query<BacklogView>(STATUS_QUERY),
    say: (name, argument = { by: 'ann' }) => handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] }),
    item,
    tell: (id, name, argument = { by: 'ann' }) =>
      itemOf(id).executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] }),
    async reaches(id, state) {
      await until(async () => (await item(id).catch(() => null))?.state === state);
      return item(id);
    },
  };
}

/** The ids of what was created. */
export function idsOf({ verdicts }: CreateAnswer): readonly string[] {
  return (verdicts ?? []).flatMap((verdict) => ('id' in verdict ? [verdict.id] : []));
}
