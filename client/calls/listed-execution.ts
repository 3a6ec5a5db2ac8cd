/** An execution as visibility tells it. */

/** What visibility tells of an execution; the memo is written by the run and read kindly here. */
export interface VisibleRun {
  readonly workflowId: string;
  readonly execution: string;
  readonly startTime: Date;
  readonly closeTime?: Date;
  readonly memo?: Readonly<Record<string, unknown>>;
}

/** What a client's list of executions holds. */
export interface ListedExecution extends Omit<VisibleRun, 'execution'> {
  readonly status: { readonly name: string };
}
