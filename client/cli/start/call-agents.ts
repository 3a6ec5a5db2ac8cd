/**
 * `sluice doctor --call`: one tiny turn of each agent that was found, so that what no file tells is known: does its login work, is a limit
 * reached. It costs what one question costs, so a person is asked first; in a pipe the option itself is the answer. Not from inside a
 * turn.
 */

import { entryFile } from '../../../config/system/entries.js';
import type { AgentTrial, AgentTrialResult } from '../../../protocol/actors/agent-trial.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { localTime } from '../../views/local-time.js';
import { askYesOrNo } from '../terminal/confirm.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import { askProgram } from './ask-program.js';
import { type Finding, fail, pass, warn } from './doctor-finding.js';
import { findAgentsAround, type VersionedAgent } from './found-agents.js';

/** `agent`: a program or an adapter; null: all that were found. */
export interface CallOptions {
  readonly agent: string | null;
  /** Arguments of node that start the trial where that of the build is not there. */
  readonly entry?: readonly [string, ...string[]];
}

/** Empty: the person said no. Errors: RefusedError for an agent that is not there, and inside a turn. */
export async function callAgents(
  context: Context,
  { agent, entry = [entryFile('trial')] }: CallOptions,
): Promise<readonly Finding[]> {
  personOf(context);
  const { io } = context;
  const agents = chosenOf(await findAgentsAround(io), agent);
  const names = agents.map(({ program }) => program).join(', ');
  if (!(await mayCall(context, names))) return [];
  io.err(`One question to ${names}, which may cost; each has a minute.`);
  // One after the other: two of one account could share a limit.
  const findings: Finding[] = [];
  for (const each of agents) {
    if (io.stop.aborted) break;
    findings.push(findingOf(each, await trialOf(context, each, entry)));
  }
  return findings;
}

function chosenOf(found: readonly VersionedAgent[], wanted: string | null): readonly VersionedAgent[] {
  const chosen = found.filter(({ program, adapter }) => wanted === null || wanted === program || wanted === adapter);
  if (chosen.length > 0) return chosen;
  throw new RefusedError({
    what:
      wanted === null
        ? 'no agent was found that could be called'
        : `the agent "${foreign(wanted).slice(0, 60)}" was not found`,
    why: 'doctor calls a coding CLI that it knows, by its program or its adapter, where it is on PATH',
    now: 'Nothing was called.',
    mend: 'sluice doctor    lists what was found',
  });
}

async function mayCall({ io, json }: Context, names: string): Promise<boolean> {
  if (!io.interactive || json) return true;
  const question = `Ask ${names} one question each? Whoever pays for them pays for that.`;
  return askYesOrNo(question, { initial: false, left: 'Nothing was called.' });
}

/** Null: there was no answer, so the trial itself failed or was ended. */
async function trialOf(
  { io }: Context,
  { adapter, path, command, passEnv }: VersionedAgent,
  entry: readonly string[],
): Promise<AgentTrialResult | null> {
  const trial: AgentTrial = { adapter, program: path, args: command?.slice(1) ?? [], passEnv };
  // Written by the program of the same version.
  return (await askProgram(io, entry, trial)) as AgentTrialResult | null;
}

function findingOf({ program }: VersionedAgent, result: AgentTrialResult | null): Finding {
  const check = `call ${program}`;
  if (result === null)
    return fail(check, 'the call was ended before it had an answer', `sluice doctor --call ${program}`);
  const { outcome, durationMs } = result;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const again = `sluice doctor --call ${program}`;
  switch (outcome.kind) {
    case 'done':
      return pass(check, ['works', seconds, ...costOf(result)].join(', '));
    case 'usage_limit':
      return warn(
        check,
        `limit reached${outcome.until === null ? '' : ` until ${localTime(outcome.until)}`}: ${outcome.why}`,
        null,
      );
    case 'rate_limited':
    case 'transient':
      return warn(check, outcome.why, again);
    case 'timeout':
      return fail(check, `no answer within ${seconds}`, again);
    default:
      return fail(check, 'why' in outcome ? outcome.why : outcome.kind, again);
  }
}

function costOf({ tokensIn, tokensOut, costMicroUsd }: AgentTrialResult): readonly string[] {
  const tokens =
    tokensIn === null && tokensOut === null ? [] : [`${tokensIn ?? '?'} tokens in, ${tokensOut ?? '?'} out`];
  return costMicroUsd === null ? tokens : [...tokens, `$${(costMicroUsd / 1_000_000).toFixed(4)}`];
}
