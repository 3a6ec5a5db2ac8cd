/**
 * Tells the landings that a ring is about, and the merge queue of a base that it names, to look. It only signals what is open: nothing is started, and no more than `look` is said. However often it
 * rings, they are listed once at a time, with a pause, and each is told once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import { messageOf } from '../../config/system/error-code.js';
import { mergeQueueId } from '../../protocol/actors/merge-queue.js';
import { LANDING_WORKFLOW } from '../../protocol/names.js';
import { fieldsOf, nameIn } from '../../protocol/text/fields.js';
import type { Ring } from './read-ring.js';

export interface BellOptions {
  readonly workflow: Pick<WorkflowClient, 'list' | 'getHandle'>;
  readonly warn: (message: string, fields: Record<string, unknown>) => void;
  /** Unit: ms. */
  readonly pauseMs?: number;
}

/** A look is a request, of which a forge takes 5 000 an hour; checks that end together ring many times. */
const PAUSE_MS = 5_000;

/** What rings more often is under attack, and is looked at in time anyway. */
const MAX_NAMES = 1_000;

const PAGE = 1_000;

export class Bell {
  private readonly names = new Set<string>();
  private readonly ended = new AbortController();
  private isAtWork = false;

  constructor(private readonly options: BellOptions) {}

  ring({ repo, pulls, branches }: Ring): void {
    const named = [
      ...pulls.map((number) => nameOfPull(repo, number)),
      ...branches.map((branch) => nameOfBranch(repo, branch)),
    ];
    for (const name of named) if (this.names.size < MAX_NAMES) this.names.add(name);
    if (this.isAtWork) return;
    this.isAtWork = true;
    void this.goOn();
  }

  close(): void {
    this.ended.abort();
  }

  private async goOn(): Promise<void> {
    const { signal } = this.ended;
    while (this.names.size > 0 && !signal.aborted) {
      const names = new Set(this.names);
      this.names.clear();
      await this.tell(names).catch((error: unknown) => this.warn('who is rung for cannot be listed', error));
      await delay(this.options.pauseMs ?? PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.isAtWork = false;
  }

  private async tell(names: ReadonlySet<string>): Promise<void> {
    const { workflow } = this.options;
    const meant = new Set<string>();
    const query = `WorkflowType = "${LANDING_WORKFLOW}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId, memo } of workflow.list({ query, pageSize: PAGE }))
      for (const id of meantBy(names, workflowId, memo)) meant.add(id);
    for (const id of meant) await this.tellOne(id);
  }

  private async tellOne(workflowId: string): Promise<void> {
    try {
      await this.options.workflow.getHandle(workflowId).signal('look', { by: 'a web hook' });
    } catch (error) {
      // It ended, or its queue has nothing to do.
      if (!(error instanceof WorkflowNotFoundError)) this.warn(`${workflowId} cannot be told to look`, error);
    }
  }

  private warn(message: string, error: unknown): void {
    if (!this.ended.signal.aborted) this.options.warn(message, { error: messageOf(error) });
  }
}

/** Of one open landing, by what it shows of itself; none where it is on no forge. */
function meantBy(names: ReadonlySet<string>, workflowId: string, memo: unknown): readonly string[] {
  const fields = fieldsOf(memo);
  const { pull } = fields;
  const repo = nameIn(fields, 'repo');
  if (repo === null) return [];
  const isNamed = (branch: string | null) => branch !== null && names.has(nameOfBranch(repo, branch));
  const base = nameIn(fields, 'base');
  const isMeant = isNamed(nameIn(fields, 'branch')) || (typeof pull === 'number' && names.has(nameOfPull(repo, pull)));
  return [
    ...(isMeant ? [workflowId] : []),
    ...(base !== null && isNamed(base) ? [mergeQueueId({ repoKey: repo, branch: base })] : []),
  ];
}

function nameOfPull(repo: string, number: number): string {
  return `${repo}#${number}`;
}

function nameOfBranch(repo: string, branch: string): string {
  return `${repo}@${branch}`;
}
