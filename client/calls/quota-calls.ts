/** What the facade can tell of quota gates. Opening one is a message like any other. */
import type { Client } from '@temporalio/client';
import type { QuotaGateView } from '../../protocol/actors/quota.js';
import { QUOTA_GATE_WORKFLOW, STATUS_QUERY } from '../../protocol/names.js';

export interface ListedQuotaGate extends Pick<QuotaGateView, 'account' | 'state' | 'until' | 'note'> {
  readonly workflowId: string;
  /** Null where no worker answers: the rest is what the gate wrote last. */
  readonly view: QuotaGateView | null;
}

export interface QuotaCalls {
  /** The gates that are not open, sorted by account. */
  quotaGates(): Promise<readonly ListedQuotaGate[]>;
}

/** More accounts nobody has. */
const MAX_GATES = 200;

/** `within` gives a call its deadline. */
export function quotaCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): QuotaCalls {
  return {
    async quotaGates() {
      const query = `WorkflowType = "${QUOTA_GATE_WORKFLOW}" AND ExecutionStatus = "Running"`;
      const found = await within(async () => {
        const gates: { workflowId: string; memo: Record<string, unknown> }[] = [];
        for await (const { workflowId, memo } of client.workflow.list({ query, pageSize: MAX_GATES })) {
          gates.push({ workflowId, memo: memo ?? {} });
          if (gates.length >= MAX_GATES) break;
        }
        return gates;
      });
      const listed = await Promise.all(
        found.map(async ({ workflowId, memo }) => {
          const asked = within(() => client.workflow.getHandle(workflowId).query<QuotaGateView>(STATUS_QUERY));
          return listedGate(workflowId, memo, await asked.catch(() => null));
        }),
      );
      return listed.filter(({ state }) => state !== 'open').toSorted((a, b) => a.account.localeCompare(b.account));
    },
  };
}

/** The memo is written by the gate and read kindly here. */
function listedGate(workflowId: string, memo: Record<string, unknown>, view: QuotaGateView | null): ListedQuotaGate {
  const text = (name: string) => (typeof memo[name] === 'string' ? memo[name] : null);
  const state = memo['state'] === 'probing' || memo['state'] === 'open' ? memo['state'] : 'closed';
  const last = view ?? { account: workflowId.replace(/^quota:/, ''), state, until: text('until'), note: text('note') };
  return { workflowId, account: last.account, state: last.state, until: last.until, note: last.note, view };
}
