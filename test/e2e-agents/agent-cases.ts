/** Names of what a CLI must have run; the table of `main.ts` fails where one is missing. */
import { ACP_AGENTS, type CliName } from './agent-clis.js';

/** Of every CLI: a task that is compared, judged, planned, and done step by step. */
const SKEP_CASES = ['task by steps', 'step resumed', 'duplicate asked'] as const;

export type SkepCase = (typeof SKEP_CASES)[number];

const AGENT_CASES = [
  'full run',
  'resume',
  'rate limit with a wait',
  'rate limit without one',
  'usage limit',
  'overflow',
  'permission',
  'hang',
  'killed worker',
  'login',
  'cut connection',
  'init and run',
  'provider fails',
  'provider cuts',
  'provider trickles',
] as const;

export type AgentCase = (typeof AGENT_CASES)[number];

/** Of every agent behind `adapter: acp`: what its protocol and its adapter have to do with. */
const ACP_CASES = [
  'full run',
  'resume',
  'rate limit with a wait',
  'rate limit without one',
  'overflow',
  'question',
  'hang',
  'killed worker',
  'login',
] as const;

export type AcpCase = (typeof ACP_CASES)[number];

export function casesOf(cli: CliName): readonly string[] {
  return [...(ACP_AGENTS.some(({ name }) => name === cli) ? ACP_CASES : AGENT_CASES), ...SKEP_CASES];
}
