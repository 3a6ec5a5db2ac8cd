/** `sluice policies`: the effective policy of a run, as it was frozen when the run opened. */
import { formatDuration } from '../../../config/keys/duration.js';
import type { RunDetails } from '../../../protocol/messages/run-view.js';
import type { RunPolicy, StageAgent } from '../../../protocol/run/policy.js';
import { askDetails } from '../gates/ask-details.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export async function policies(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  const { run, details } = await askDetails(context, asked, 'policies');
  const { policy, attended } = details;
  if (json) io.json({ runId: run.runId, attended, policy });
  else if (policy === null)
    io.out(foreign(`${run.runId} is not open yet: its policy is resolved when its host takes it.`));
  else for (const [name, value] of policyRows(policy, details)) io.out(`${name.padEnd(22)}${foreign(value)}`);
  return EXIT.done;
}

export function policyRows(
  policy: RunPolicy,
  { attended }: Pick<RunDetails, 'attended'>,
): readonly (readonly [string, string])[] {
  const { gates, usageLimit } = policy;
  return [
    ['preset', policy.preset],
    ['stages', policy.stages.join(' → ')],
    ...Object.entries(policy.agentOf).map(
      ([stage, of]) => [`agent of ${stage}`, of === null ? 'none' : agentText(of)] as const,
    ),
    ['validation commands', policy.validationCommands === 0 ? 'none' : String(policy.validationCommands)],
    ['red validation', policy.onValidationFailure === 'fix' ? 'starts a fix' : 'goes to the reviewer'],
    ['fix rounds', String(policy.rounds)],
    ['attended', attended ? 'yes' : 'no'],
    ['gates before', gates.stages.length === 0 ? 'none' : gates.stages.join(', ')],
    ['gates expire', attended ? time(gates.expireMs) : time(gates.unattendedExpireMs)],
    ['gate reminders', time(gates.remindMs)],
    ['gate escalation', time(gates.escalateMs)],
    ['change rounds', String(gates.maxChangeRounds)],
    ['hold at completion', policy.holdAtCompletion ? 'yes' : 'no'],
    ['permissions', policy.permissions],
    ['usage limit', `${usageLimit.action}, at most ${usageLimit.maxWaits} × ${time(usageLimit.maxWaitMs)}`],
    ['told', policy.sinks.length === 0 ? 'nobody' : policy.sinks.join(', ')],
  ];
}

function agentText({ agent, adapter, model, timeoutMs, fallback }: StageAgent): string {
  const more = [
    adapter === agent ? null : adapter,
    model,
    time(timeoutMs),
    fallback === null ? null : `else ${fallback}`,
  ];
  return `${agent} (${more.filter((part) => part !== null).join(', ')})`;
}

/** Null: never. */
function time(ms: number | null): string {
  if (ms === null) return 'never';
  return ms === 0 ? 'at once' : formatDuration(ms);
}
