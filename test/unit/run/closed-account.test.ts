/** What a host does with an account whose usage limit was met: it starts no agent on it, until its time or the word of a gate. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { closeAccount, closedAccounts, openAccount } from '../../../config/home/closed-accounts.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const HOUR_MS = 3_600_000;
const UNTIL = new Date(Date.now() + HOUR_MS).toISOString();
const ACCOUNT = 'script/shared';

describe('a closed account', () => {
  let host: RewindHost;
  let runs = 0;

  beforeAll(async () => {
    const limited = { text: 'Not now.', outcome: `usage_limit until=${UNTIL}` };
    host = await aRewindHost({
      fixture: fixtureWith({ reviewing: limited, verifying: { text: 'x', outcome: 'usage_limit' } }),
      config: `    account: shared\n`,
    });
  });
  afterAll(() => host.close());
  beforeEach(() => openAccount(host.deps.home.root, ACCOUNT));

  const aRun = (): Promise<DrivenRun> => {
    runs += 1;
    return host.start(`run-${runs}`);
  };
  const known = () => closedAccounts(host.deps.home.root, Date.now());
  const starts = () =>
    existsSync(host.repository.ledgerPath)
      ? readLedger(host.repository.ledgerPath).filter(({ event }) => event === 'START').length
      : 0;

  it('is remembered by the turn that meets the limit, under the word that let the turn go', async () => {
    const run = await aRun();
    const result = await run.runTurn(run.turnInput('reviewing', { accountOpening: 'first' }));

    expect(result).toMatchObject({ outcome: { kind: 'usage_limit', until: UNTIL } });
    expect(result.started).toBe(true);
    expect(known()).toEqual([{ account: ACCOUNT, until: UNTIL, expiresAt: UNTIL, opening: 'first' }]);
  });

  it('is remembered for an hour where the provider says nothing', async () => {
    const run = await aRun();
    const before = Date.now();
    await run.runTurn(run.turnInput('verifying'));
    const after = Date.now();

    expect(known()).toMatchObject([{ account: ACCOUNT, until: null }]);
    const from = Date.parse(known()[0]?.expiresAt ?? '') - HOUR_MS;
    expect(before <= from && from <= after).toBe(true);
  });

  it('answers the turns of other runs with the limit and its time, and starts no agent', async () => {
    const [one, other] = [await aRun(), await aRun()];
    await one.runTurn(one.turnInput('reviewing'));
    const before = starts();

    const result = await other.runTurn(other.turnInput('planning'));

    expect(result).toMatchObject({ outcome: { kind: 'usage_limit', until: UNTIL }, started: false, durationMs: 0 });
    expect(result.outcome).toMatchObject({
      why: expect.stringMatching(new RegExp(`${ACCOUNT}.*${UNTIL}.*not started`)),
    });
    expect(starts()).toBe(before);
    expect(result.observations).toMatchObject([{ type: 'turn.failed', data: { started: false, costMicroUsd: 0 } }]);
  });

  it('is asked about again by the next attempt of such a turn: nothing was recorded of it', async () => {
    await closeAccount(
      host.deps.home.root,
      { account: ACCOUNT, until: UNTIL, expiresAt: UNTIL, opening: null },
      Date.now(),
    );
    const run = await aRun();
    const input = run.turnInput('planning');
    expect(await run.runTurn(input)).toMatchObject({ started: false });
    await openAccount(host.deps.home.root, ACCOUNT);

    expect(await run.runTurn(input)).toMatchObject({ outcome: { kind: 'done' } });
  });

  it('is overruled by the word of a gate, and then open for all', async () => {
    await closeAccount(
      host.deps.home.root,
      { account: ACCOUNT, until: UNTIL, expiresAt: UNTIL, opening: null },
      Date.now(),
    );
    const [one, other] = [await aRun(), await aRun()];

    expect(await one.runTurn(one.turnInput('planning', { accountOpening: 'first' }))).toMatchObject({
      outcome: { kind: 'done' },
    });
    expect(await other.runTurn(other.turnInput('planning'))).toMatchObject({ outcome: { kind: 'done' } });
    expect(known()).toEqual([]);
  });

  it('is not overruled by the word under which the limit was met again: that one knows no more than the host', async () => {
    await closeAccount(
      host.deps.home.root,
      { account: ACCOUNT, until: UNTIL, expiresAt: UNTIL, opening: 'first' },
      Date.now(),
    );
    const run = await aRun();

    expect(await run.runTurn(run.turnInput('planning', { accountOpening: 'first' }))).toMatchObject({ started: false });
    expect(await run.runTurn(run.turnInput('planning', { accountOpening: 'second' }))).toMatchObject({
      outcome: { kind: 'done' },
    });
  });

  it('leaves turns of other accounts alone, and holds nobody once it is over', async () => {
    const gone = new Date(Date.now() - 1).toISOString();
    await closeAccount(
      host.deps.home.root,
      { account: 'script/other', until: UNTIL, expiresAt: UNTIL, opening: null },
      Date.now(),
    );
    await closeAccount(
      host.deps.home.root,
      { account: ACCOUNT, until: gone, expiresAt: gone, opening: null },
      Date.now(),
    );
    const run = await aRun();

    expect(await run.runTurn(run.turnInput('planning'))).toMatchObject({ outcome: { kind: 'done' } });
    expect(existsSync(join(host.deps.home.root, 'closed-accounts.json.lock'))).toBe(false);
  });
});
