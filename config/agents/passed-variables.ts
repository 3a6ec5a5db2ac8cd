/** Which variables of an environment an agent may be passed, or given by its config. */

/** No agent holds a token of a forge. Source: docs/agents.md "How an agent is found". */
export const NEVER_PASSED: readonly string[] = [
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'SSH_AUTH_SOCK',
];

/** A variable that a config may set for an agent: none of ours. */
export function maySetVariable(name: string): boolean {
  return /^(?!SLUICE_)[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name);
}

/** None that would point Temporal's tools elsewhere, and none of ours. */
export function mayPassVariable(name: string): boolean {
  return maySetVariable(name) && !name.startsWith('TEMPORAL_') && !NEVER_PASSED.includes(name);
}
