/**
 * Shows a batch in lists (memo, and the attribute SluiceStatus where the batch was started with it) and in the Web UI (details).
 * An attribute that the namespace does not know would hold the workflow up for ever, and a batch has no host to ask: one that it was
 * started with is known. Each upsert is one event, so only changes go out.
 */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeName } from '../protocol/names.js';
import type { BatchTable } from './batch-table.js';

const STATUS_NAME: SearchAttributeName = 'SluiceStatus';
const STATUS = defineSearchAttributeKey(STATUS_NAME, SearchAttributeType.KEYWORD);

export class BatchPresenter {
  private shownMemo = '';
  private shownStatus: string | null = null;
  private readonly hasAttribute = workflowInfo().typedSearchAttributes.get(STATUS) !== undefined;

  constructor(private readonly table: BatchTable) {}

  show(): void {
    this.present(false);
  }

  close(): void {
    this.present(true);
  }

  private present(closed: boolean): void {
    setCurrentDetails(this.table.details(closed));
    const memo = this.table.memo(closed);
    const now = JSON.stringify(memo);
    if (now !== this.shownMemo) upsertMemo(memo);
    this.shownMemo = now;
    const status = this.table.status(closed);
    if (this.hasAttribute && status !== this.shownStatus) upsertSearchAttributes([{ key: STATUS, value: status }]);
    this.shownStatus = status;
  }
}
