/** What holds the queue of a forge is said with what mends it at that very forge. */
import { expect, it } from '@jest/globals';
import { heldBy } from '../../../activities/forge/forge-hold.js';

it.each([
  ['github.com', 'GH_TOKEN'],
  ['git.corp.example', 'GH_ENTERPRISE_TOKEN'],
])('the want of a token of %s is said as that, and mended by %s or a login there', (host, variable) => {
  const who = { repo: 'acme/shop', host, hostId: 'h1', tokenSource: null };
  const { held } = heldBy({ kind: 'unauthorized', why: 'there is no gh' }, who);

  expect(held.why).toBe(
    `the worker of the host h1 has no token of ${host} (there is no gh): set ${variable} to one that does for the worker of that host, or there: gh auth login --hostname ${host}`,
  );
});
