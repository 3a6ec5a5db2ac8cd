/** Runs over a stub host whose provider has a usage limit: who called it, and when it answers. For what the gate and the runs decide. */
import type { WorkflowHandle } from '@temporalio/client';
import type { QuotaGateView } from '../../protocol/actors/quota.js';
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import { quotaGateId, STATUS_QUERY } from '../../protocol/names.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import type { Stage } from '../../protocol/run/stages.js';
import { type StubHost, type StubWorkers, stubAgent, stubOpen, stubTurn } from './stub-host.js';
import { until } from './until.js';

export interface LimitedRuns {
  readonly host: StubHost;
  /** Every turn that was asked for, in order. */
  readonly calls: RunTurnInput[];
  /** Turns under way at once, at most. */
  mostAtOnce(): number;
  start(runId: string, account?: string): Promise<WorkflowHandle>;
  gate(account?: string): WorkflowHandle;
  /** Null: there is none. */
  view(account?: string): Promise<QuotaGateView | null>;
  untilGate(holds: (view: QuotaGateView | null) => boolean, account?: string): Promise<QuotaGateView | null>;
}

export const limitedUntil = (ms: number): Partial<RunTurnResult> => ({
  outcome: { kind: 'usage_limit', why: 'the plan is used up', until: new Date(Date.now() + ms).toISOString() },
});

/** `provider` answers a turn; `name` keeps runs and accounts of one test apart from others. */
export function limitedRuns(
  workers: StubWorkers,
  provider: (input: RunTurnInput) => Partial<RunTurnResult> | Promise<Partial<RunTurnResult>>,
  { policy = {}, name }: { readonly policy?: Partial<RunPolicy>; readonly name: string },
): LimitedRuns {
  const stages: readonly Stage[] = ['planning'];
  const calls: RunTurnInput[] = [];
  const accounts = new Map<string, string>();
  let [now, most] = [0, 0];
  const of = (account = 'default') => `${name}/${account}`;
  const host = workers.open({
    openRun: async (input) =>
      stubOpen(input, stages, { agentOf: agentsOf(accounts.get(input.place.runId) ?? of()), ...policy }),
    runTurn: async (input) => {
      calls.push(input);
      now += 1;
      most = Math.max(most, now);
      try {
        return stubTurn(input, await provider(input));
      } finally {
        now -= 1;
      }
    },
  });
  const gate = (account?: string) => host.client.workflow.getHandle(quotaGateId(of(account)));
  const view = async (account?: string) => {
    const { status } = await gate(account)
      .describe()
      .catch(() => ({ status: { name: 'NONE' } }));
    return status.name === 'RUNNING' ? gate(account).query<QuotaGateView>(STATUS_QUERY) : null;
  };
  return {
    host,
    calls,
    mostAtOnce: () => most,
    start(runId, account) {
      accounts.set(`${name}-${runId}`, of(account));
      return host.start({ task: 'plan it', repo: '/repository', host: 'stub' }, `${name}-${runId}`);
    },
    gate,
    view,
    async untilGate(holds, account) {
      let last: QuotaGateView | null = null;
      await until(async () => {
        last = await view(account);
        return holds(last);
      });
      return last;
    },
  };
}

function agentsOf(account: string): RunPolicy['agentOf'] {
  const agent = stubAgent({ account });
  return { planning: agent, architecting: agent, executing: agent, reviewing: agent, fixing: agent, verifying: agent };
}
