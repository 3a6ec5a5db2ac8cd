/** What the client does for agents that it knows by the name they tell of themselves, or by the program that was started. Pure. */
import type { AcpPeer } from '../../../../config/agents/kind.js';
import { ACP_KINDS } from '../../../../config/agents/kinds.js';
import { PLAIN_PEER } from '../../../../config/agents/plain.js';

const PEERS: readonly AcpPeer[] = ACP_KINDS.flatMap(({ acp }) => acp ?? []);

/** Of any agent, whoever it is: an id stands for the same variables with all. */
export const KEY_LOGINS: ReadonlyMap<string, readonly string[]> = new Map(
  PEERS.flatMap(({ keyLogins }) => Object.entries(keyLogins)),
);

/** The first of these names that one of them has. */
export function findKnownPeer(...names: readonly (string | null)[]): AcpPeer {
  const known = names.flatMap((name) => PEERS.filter((peer) => name !== null && peer.names.includes(name)));
  return known[0] ?? PLAIN_PEER;
}
