/** What the facade tells of runs and landings at once, for whoever looks again and again: one question to the server a look. */
import type { Client } from '@temporalio/client';
import { LANDING_WORKFLOW, RUN_WORKFLOW } from '../../protocol/names.js';
import { type ListedLanding, newestLandings } from './landing-calls.js';
import type { ListedExecution } from './listed-execution.js';
import { type ListedRun, newestPerWorkflow } from './listed-run.js';

export interface Overview {
  /** As of `list`. */
  readonly runs: readonly ListedRun[];
  /** As of `landings`. */
  readonly landings: readonly ListedLanding[];
}

export interface OverviewCalls {
  /** The newest executions, `limit` at most, of which those of one run count once. */
  overview(limit: number): Promise<Overview>;
}

/** `within` gives a call its deadline. */
export function overviewCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): OverviewCalls {
  return {
    overview: (limit) =>
      within(async () => {
        const query = `WorkflowType IN ("${RUN_WORKFLOW}", "${LANDING_WORKFLOW}")`;
        const runs: ListedExecution[] = [];
        const landings: ListedExecution[] = [];
        for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1_000) })) {
          (info.type === RUN_WORKFLOW ? runs : landings).push(info);
          if (runs.length + landings.length >= limit) break;
        }
        return { runs: await newestPerWorkflow(runs, limit), landings: await newestLandings(landings) };
      }),
  };
}
