/**
 * One durable clock for the limits of one account, usage and rate, `quota:<provider>/<account>`: it parks runs without holding anything of theirs.
 * Waits for: Signals `park`, `probed`, `leave`, `open` (a person's, an Update too); its own timer.
 * Survives: the loss of worker and server. If it is lost itself, waiting runs start it anew by their own timers.
 * Ends: when it is open and nobody waits.
 */
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { QUOTA_MESSAGES, QUOTA_SIGNAL, type QuotaGateView } from '../../protocol/actors/quota.js';
import { printable } from '../../protocol/text/printable.js';
import type { Carried } from '../actor/core.js';
import { LiveActor } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { readQuotaEvent } from './quota-messages.js';
import { NOBODY_WAITS, QUOTA_RULES, type QuotaState, viewOf } from './quota-table.js';

/** Null: there was no execution before. */
export async function quotaGate(carried: Carried<QuotaState> | null = null): Promise<QuotaGateView> {
  const account = workflowInfo().workflowId.replace(/^quota:/, '');
  const gate = new LiveActor(
    {
      rules: QUOTA_RULES,
      first: NOBODY_WAITS,
      signals: QUOTA_MESSAGES,
      updates: ['open'],
      read: readQuotaEvent,
      // A run that is gone is dropped.
      async perform({ workflowId, word }, tell) {
        const isThere = await sendSignal({ workflowId, executionRunId: null, name: QUOTA_SIGNAL, argument: word });
        if (!isThere) tell({ kind: 'unreachable', workflowId });
      },
      show(state) {
        const view = viewOf(account, state);
        const { state: status, until, since, note } = view;
        return { status, details: details(view), memo: { account, state: status, until, since, note } };
      },
      view: (state) => viewOf(account, state),
    },
    carried,
  );
  return gate.live((next) => continueAsNew<typeof quotaGate>(next));
}

const NEXT = { usage: 'one run tries again at', rate: 'all go on at', probing: 'the probe is given up at' } as const;

function details(view: QuotaGateView): string {
  const lines = [
    `${view.limit === 'rate' ? 'rate' : 'usage'} limit of **${view.account}**: **${view.state}**`,
    view.until === null ? '' : `${NEXT[view.limit ?? 'probing']} ${view.until}`,
    view.note === null ? '' : view.note,
    view.refusals === 0 ? '' : `met again by ${view.refusals} probe(s) in a row`,
    view.probe === null ? '' : `probed by: \`${view.probe}\``,
    `${view.waiting} run(s) wait${view.waiting === 0 ? '' : `: ${view.runs.map((run) => `\`${run}\``).join(', ')}`}${view.waiting > view.runs.length ? ', …' : ''}`,
    view.state === 'open'
      ? ''
      : `if it is over: \`sluice quota open ${view.account}\` or \`temporal workflow signal --workflow-id quota:${view.account} --name open\``,
  ];
  return printable(lines.filter((line) => line !== '').join('\n\n')).slice(0, 8_000);
}
