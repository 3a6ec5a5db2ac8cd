/** What is known of programs that speak the Agent Client Protocol, by the name of the program: `adapter: acp` takes any, and these need no further word. */

export interface AcpProgram {
  /** Whose usage limit it works under. */
  readonly provider: string;
  /** Names the folder of its login and settings; null: it has none that we know. */
  readonly configVariable: string | null;
  /** The command that makes a login. */
  readonly login: string;
}

/** A Map, since the key comes from a file. */
const ACP_PROGRAMS: ReadonlyMap<string, AcpProgram> = new Map([
  ['gemini', { provider: 'google', configVariable: null, login: 'gemini    and choose a login there' }],
  ['claude-agent-acp', { provider: 'anthropic', configVariable: 'CLAUDE_CONFIG_DIR', login: 'claude auth login' }],
  ['codex-acp', { provider: 'openai', configVariable: 'CODEX_HOME', login: 'codex login' }],
]);

/** Null: nothing is known of it. */
export function acpProgramOf(command: readonly string[] | null): AcpProgram | null {
  return ACP_PROGRAMS.get(acpProgramName(command)) ?? null;
}

/** The last part of the program's path; empty: there is no program. */
export function acpProgramName(command: readonly string[] | null): string {
  return command?.[0]?.split('/').findLast((part) => part !== '') ?? '';
}

export const CONFIGURABLE_ACP_PROGRAMS: readonly string[] = [...ACP_PROGRAMS]
  .filter(([, { configVariable }]) => configVariable !== null)
  .map(([name]) => name);
