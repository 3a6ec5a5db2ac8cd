/**
 * Keys whose feature this version does not have. A value that changes nothing is accepted, so that a file in the seed's
 * spelling parses; every other value is an error, because a key without effect would be a false promise.
 */
import type { ComingRow } from './key-table.js';

const coming = (meaning: string, inForce: readonly unknown[] = [], aliases: readonly string[] = []): ComingRow => ({
  meaning,
  inForce,
  aliases,
});

export const COMING_KEYS: Readonly<Record<string, ComingRow>> = {
  rounds: coming('how many fix rounds a run may have, 0 to 20', [0], ['workflow.maxReviewLoops']),
  'validation.onFailure': coming('what a red validation starts', ['fix']),
  'gates.stages': coming('stages that wait for a person', [[]], ['policies.requireApprovalAtStages']),
  'gates.maxChangeRounds': coming('how often a gate may ask for changes', [3], ['policies.approvalMaxChangeRounds']),
  'gates.remind': coming('when an open gate reminds', ['off']),
  'gates.escalate': coming('when an open gate escalates', ['off']),
  'gates.expire': coming('when an open gate expires', ['never']),
  'gates.unattendedExpire': coming('when a gate of an unattended run expires', [0], ['policies.unattendedApprovalTimeoutMs']),
  attended: coming('whether a person is expected to answer'),
  holdAtCompletion: coming('whether a finished run waits for a person', [false]),
  permissions: coming('what an agent may do without asking', ['auto'], ['policies.defaultPermissionMode']),
  'budget.run.turns': coming('turns a run may use'),
  'budget.run.minutes': coming('minutes a run may use'),
  'budget.run.usd': coming('money a run may use'),
  'budget.day.turns': coming('turns a day may use'),
  'budget.day.minutes': coming('minutes a day may use'),
  'budget.day.usd': coming('money a day may use'),
  'budget.onLimit': coming('what a used-up budget does', ['stop']),
  'usageLimit.action': coming('what a usage limit of a provider does', ['stop']),
  'usageLimit.maxWait': coming('how long a run waits for a usage limit', [], ['usageLimit.maxWaitMin']),
  'usageLimit.maxWaits': coming('how often a run waits for a usage limit', [0]),
  'landing.mode': coming('how a finished run lands', ['manual', 'off']),
  'landing.method': coming('how a branch is merged', ['merge']),
  'landing.required': coming('commands that must pass as merged', [[]]),
  'landing.batch': coming('how many branches land at once', [1]),
  'landing.reactRounds': coming('fix rounds from review comments', [0]),
  'forge.kind': coming('the forge that holds the repository'),
  'forge.repo': coming('the repository on the forge'),
  'forge.apiUrl': coming("the address of the forge's API"),
  'recovery.push': coming("whether a run's commits are pushed as refs", ['off']),
  notify: coming('who is told what', [[]]),
  sandbox: coming('what keeps an agent inside its worktree', ['off']),
  network: coming('what an agent may reach'),
  'limits.hostLost': coming('when a silent host is given up', ['off']),
  'stages.<stage>.tools': coming('what an agent may do in a stage'),
  'agents.<name>.configDir': coming("the folder of an agent's own configuration"),
  'agents.<name>.extendedModel': coming('the model for texts that are too long for the first'),
  'agents.<name>.fallback': coming('the agent that is tried when this one fails'),
};

/** A list or a bare word where a section is expected is short for one of its keys. */
export const SHORTHANDS: Readonly<Record<string, string>> = { gates: 'gates.stages', landing: 'landing.mode' };
