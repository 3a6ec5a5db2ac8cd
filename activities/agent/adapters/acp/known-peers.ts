/** What the client does for agents that it knows by the name they tell of themselves; for any other it does nothing special. Pure. */

export interface KnownPeer {
  /** `_meta` of a session that is opened; null: none. */
  readonly sessionMeta: Readonly<Record<string, unknown>> | null;
  /** The title of a request to run a program is its command line, and nothing else is told of it. Of others a model may have written the title. */
  readonly titleIsCommand: boolean;
  /** A session that is loaded is answered before all of its past is told; the list of its commands comes behind that. */
  readonly pastComesLate: boolean;
  /** The cost that it tells is that of its process, so of one turn; the protocol means that of the session. */
  readonly costsAnew: boolean;
}

/** A Map, since the key is the agent's word. Sources: dist/acp-agent.js of claude-agent-acp 0.49.0; acpSession.ts of gemini-cli 0.61.0. */
const KNOWN: ReadonlyMap<string, KnownPeer> = new Map([
  [
    '@agentclientprotocol/claude-agent-acp',
    {
      // It would read settings of the repository, which can hold hooks and variables, and no trust was asked for them.
      sessionMeta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } },
      titleIsCommand: false,
      pastComesLate: false,
      costsAnew: true,
    },
  ],
  ['gemini-cli', { sessionMeta: null, titleIsCommand: true, pastComesLate: true, costsAnew: false }],
]);

const UNKNOWN: KnownPeer = { sessionMeta: null, titleIsCommand: false, pastComesLate: false, costsAnew: false };

export function knownPeer(name: string | null): KnownPeer {
  return KNOWN.get(name ?? '') ?? UNKNOWN;
}
