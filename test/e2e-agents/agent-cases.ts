/** Names of what every CLI must have run; the table of `main.ts` fails where one is missing. */
export const AGENT_CASES = [
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
