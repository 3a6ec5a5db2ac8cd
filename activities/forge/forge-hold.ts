/** What is said where a forge cannot be asked, or does not let us, for a reason that has nothing to do with what lands: one sentence, with what mends it. Pure. */
import { variablesFor } from '../../config/home/forge-token.js';
import type { ForgeTrouble } from '../../protocol/actors/forge.js';
import type { HeldBase } from '../../protocol/actors/merge-queue.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';

interface WhoAsks {
  /** `owner/name`. */
  readonly repo: string;
  /** Of the forge, as `gh` names it. */
  readonly host: string;
  readonly hostId: string;
  /** Where its token was found; null: it has none. */
  readonly tokenSource: string | null;
}

export function heldBy(trouble: ForgeTrouble, who: WhoAsks): HeldBase {
  const said = trouble.why.slice(0, MAX_SENTENCE_CHARS);
  const until = trouble.kind === 'limited' ? trouble.until : null;
  return { held: { reason: 'forge', why: `${WHAT[trouble.kind](who)} (${said}): ${MENDS[trouble.kind](who)}` }, until };
}

type Words = Readonly<Record<ForgeTrouble['kind'], (who: WhoAsks) => string>>;

const WHAT: Words = {
  limited: ({ repo }) => `the forge of ${repo} takes no more requests for now`,
  unreachable: ({ repo }) => `the forge of ${repo} does not answer`,
  unauthorized: (who) =>
    who.tokenSource === null
      ? `the worker of the host ${who.hostId} has no token of ${who.host}`
      : `${tokenOf(who)} opens nothing of ${who.repo}`,
  missing_scope: (who) => `${tokenOf(who)} may not do this in ${who.repo}`,
  gone: (who) => `there is no ${who.repo} that ${tokenOf(who)} can change`,
  moved: ({ repo }) => `${repo} has another name now`,
  refused: ({ repo }) => `the forge of ${repo} refuses`,
};

const MENDS: Words = {
  limited: () => 'it is asked again by itself once its limit is over',
  unreachable: () => 'it is asked again by itself',
  unauthorized: ({ host }) =>
    `set ${variablesFor(host)[0]} to one that does for the worker of that host, or there: gh auth login --hostname ${host}`,
  missing_scope: () => 'give it the scope `repo`, or the right to write contents and pull requests',
  gone: () => 'look at forge.repo, at whether it is archived, and at what the token may see',
  moved: () => 'name it in forge.repo, and run anew',
  refused: () => 'look there at what it refuses',
};

function tokenOf({ hostId, tokenSource }: WhoAsks): string {
  return tokenSource === null ? `no token of the host ${hostId}` : `the token of ${tokenSource} on the host ${hostId}`;
}
