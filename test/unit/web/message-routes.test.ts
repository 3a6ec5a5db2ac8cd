/** What a body of a message has to say, and what it must not. */
import { describe, expect, it } from '@jest/globals';
import type { Sent } from '../../../client/calls/send-message.js';
import { MESSAGE_ROUTES } from '../../../client/http/message-routes.js';
import type { WebParts } from '../../../client/http/route.js';
import { ServerLine } from '../../../client/http/server-line.js';
import type { Sluice } from '../../../client/sluice.js';
import { closeAccount, closedAccounts } from '../../../config/home/closed-accounts.js';
import { tempFolders } from '../../support/temp-folder.js';

const approve = MESSAGE_ROUTES.find(({ path }) => path === '/api/runs/:id/approve');
const DECISION = { gate: 'gate-1', commit: 'a'.repeat(40), decision: 'approve', requestId: 'r' };

const isTaken = (body: unknown) => approve?.body.safeParse(body).success;

describe('a decision', () => {
  it('names the gate and the commit that were seen, and nobody', () => {
    expect([isTaken(DECISION), isTaken({ ...DECISION, commit: null })]).toEqual([true, true]);
    for (const name of ['gate', 'commit', 'decision', 'requestId'])
      expect([name, isTaken({ ...DECISION, [name]: undefined })]).toEqual([name, false]);
    expect(isTaken({ ...DECISION, by: 'somebody else' })).toBe(false);
  });

  it('gives nothing another prototype', () => {
    const body: unknown = JSON.parse(`${JSON.stringify(DECISION).slice(0, -1)},"__proto__":{"by":"somebody else"}}`);
    const parsed = approve?.body.safeParse(body);

    expect((parsed?.data as { by?: string } | undefined)?.by).toBeUndefined();
    expect(({} as { by?: string }).by).toBeUndefined();
  });
});

describe('the word that a usage limit is over', () => {
  const freshFolder = tempFolders();
  const open = MESSAGE_ROUTES.find(({ path }) => path === '/api/accounts/:id/open');
  const ACCOUNT = 'anthropic/default';

  /** `sent` null: the server is away. */
  async function say(sent: Sent | null, isClosedHere: boolean) {
    const home = freshFolder();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    if (isClosedHere) await closeAccount(home, { account: ACCOUNT, until: null, expiresAt, opening: null }, Date.now());
    const line = new ServerLine(async () => (sent === null ? null : ({ send: async () => sent } as unknown as Sluice)));
    const asked = { params: { id: ACCOUNT }, body: { requestId: 'r' } };
    const answer = await open?.handle(asked, { line, home, by: 'Ada' } as unknown as WebParts);
    return { answer, held: closedAccounts(home, Date.now()).length };
  }

  it.each<readonly [string, Sent | null, string]>([
    ['whose gate is closed', { kind: 'closed' }, 'turns are started on this host again; no run waited'],
    ['of which the server knows nothing', { kind: 'unknown' }, 'turns are started on this host again; no run waited'],
    ['whose server is away', null, 'turns are started on this host again; the server is away'],
  ])('opens an account of this host %s', async (_, sent, message) => {
    expect(await say(sent, true)).toEqual({
      answer: { sent: 'accepted', message: expect.stringContaining(message) },
      held: 0,
    });
  });

  it('is refused where neither the server nor this host knows of a limit', async () => {
    expect((await say({ kind: 'closed' }, false)).answer).toMatchObject({ status: 409 });
    await expect(say({ kind: 'unknown' }, false)).rejects.toMatchObject({ status: 404 });
    await expect(say(null, false)).rejects.toMatchObject({ name: 'ServerAway' });
  });

  it('that the gate refused leaves the account as it is', async () => {
    expect(await say({ kind: 'refused', why: 'no' }, true)).toMatchObject({ answer: { status: 409 }, held: 1 });
  });
});
