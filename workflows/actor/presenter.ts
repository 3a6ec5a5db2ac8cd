/**
 * Shows a workflow in lists (memo, and the attribute SluiceStatus where it was started with one) and in the Web UI (details). An attribute that the
 * namespace does not know would hold the workflow up for ever: one that it was started with is known. Each upsert is one event, so only changes go out.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeName } from '../../protocol/names.js';
import type { Shown } from './actor.js';

const STATUS_NAME: SearchAttributeName = 'SluiceStatus';
const STATUS = defineSearchAttributeKey(STATUS_NAME, SearchAttributeType.KEYWORD);

export class Presenter {
  /** What it was started with, and what an execution before this one showed, is there already. */
  private shownMemo: Readonly<Record<string, unknown>> = workflowInfo().memo ?? {};
  private shownStatus: string | null = null;
  private readonly hasAttribute = workflowInfo().typedSearchAttributes.get(STATUS) !== undefined;

  show({ status, details, memo }: Shown): void {
    setCurrentDetails(details);
    const news = Object.entries(memo).filter(([name, value]) => !isSame(value, this.shownMemo[name]));
    if (news.length > 0) upsertMemo(Object.fromEntries(news));
    this.shownMemo = { ...this.shownMemo, ...memo };
    if (this.hasAttribute && status !== this.shownStatus) upsertSearchAttributes([{ key: STATUS, value: status }]);
    this.shownStatus = status;
  }
}

/** What is null is not there. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
