import { beforeEach, describe, expect, it } from '@jest/globals';
import { NotKnown } from '../../../client/calls/ask-calls.js';
import type { ListedQuotaGate } from '../../../client/calls/quota-calls.js';
import { listQuota, openQuota } from '../../../client/cli/commands/quota.js';
import type { MessageToSend, Sent, Sluice } from '../../../client/sluice.js';
import { statusText } from '../../../client/views/run-status.js';
import { waitingText } from '../../../client/views/waiting-text.js';
import { closeAccount, closedAccounts } from '../../../config/home/closed-accounts.js';
import type { QuotaGateView } from '../../../protocol/actors/quota.js';
import { aListedRun } from '../../support/gate-builder.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const HOUR_MS = 3_600_000;

const aGate = (account: string, over: Partial<QuotaGateView> = {}): ListedQuotaGate => {
  const view: QuotaGateView = {
    account,
    state: 'closed',
    limit: 'usage',
    until: soon(HOUR_MS + 30_000),
    since: soon(-1_000),
    waiting: 2,
    runs: ['shop-1', 'shop-2'],
    probe: null,
    refusals: 0,
    note: null,
    ...over,
  };
  return { workflowId: `quota:${account}`, account, state: view.state, until: view.until, note: view.note, view };
};
const ACCEPTED: Sent = {
  kind: 'accepted',
  answer: { message: 'the usage limit counts as over; 2 waiting runs go on', status: 'open', changed: true },
};

describe('sluice quota', () => {
  const freshFolder = tempFolders();
  let home: string;

  beforeEach(() => {
    home = freshFolder();
  });

  function aTerminal(gates: readonly ListedQuotaGate[] | null, { json = false, answer = ACCEPTED, env = {} } = {}) {
    const terminal = openTerminal({ env }, json);
    const sent: [string, MessageToSend][] = [];
    const part: Pick<Sluice, 'quotaGates' | 'send' | typeof Symbol.asyncDispose> = {
      quotaGates: async () => gates ?? [],
      send: async (workflowId, message) => {
        sent.push([workflowId, message]);
        return answer;
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const connect = async () => (gates === null ? null : (part as Sluice));
    return { ...terminal, context: { ...terminal.context, home }, sent, connect };
  }
  const remember = (account: string) =>
    closeAccount(home, { account, until: null, expiresAt: soon(HOUR_MS), opening: null }, Date.now());

  it('says nowhere that the word was not sent where nobody knows whether it arrived', async () => {
    const { context, connect } = aTerminal([aGate('anthropic/default')]);
    const lost = new NotKnown({ what: 'it is away', why: 'w', now: 'Nothing was sent.', mend: 'sluice up' });
    const dying = async () => ({ ...(await connect()), send: () => Promise.reject(lost) }) as unknown as Sluice;

    await expect(openQuota(context, null, dying)).rejects.toMatchObject({
      parts: { what: 'the server did not take the word for anthropic/default: it is away' },
    });
  });

  it('lists each account with the time that is left, who waits, and what to do', async () => {
    const gates = [
      aGate('anthropic/default', { refusals: 1, note: 'the provider did not say when it ends' }),
      aGate('openai/default', { state: 'probing', probe: 'shop-3', waiting: 1, runs: ['shop-4'] }),
    ];
    const { context, connect, out } = aTerminal(gates);
    await remember('local/default');

    expect(await listQuota(context, connect)).toBe(0);
    expect(out[0]).toMatch(
      /^anthropic\/default {2}closed, tried again in 1:00:(?:2\d|30) {2}2 runs wait, met again 1 time \(the provider did not say when it ends\)$/,
    );
    expect(out.slice(1, 3)).toEqual(['  shop-1 shop-2', '  if it is over: sluice quota open anthropic/default']);
    expect(out).toContain('openai/default  probed by shop-3  1 run waits');
    expect(out[3]).toMatch(/^local\/default {2}no run waits; no turn is started on this host in \d/);
  });

  it('prints one object an account, and says when there is none', async () => {
    const json = aTerminal([aGate('anthropic/default')], { json: true });
    const none = aTerminal([]);

    await listQuota(json.context, json.connect);
    await listQuota(none.context, none.connect);

    expect(json.objects).toMatchObject([
      {
        kind: 'quota',
        account: 'anthropic/default',
        state: 'closed',
        waiting: 2,
        runs: ['shop-1', 'shop-2'],
        closedHere: null,
      },
    ]);
    expect(none.out).toEqual(['No usage limit is waited for.']);
  });

  it('tells the gate that it is over and starts turns on this host again', async () => {
    const { context, connect, sent, out } = aTerminal([aGate('anthropic/default')], { env: { SLUICE_BY: 'ada' } });
    await remember('anthropic/default');

    expect(await openQuota(context, null, connect)).toBe(0);
    expect(sent).toEqual([['quota:anthropic/default', { name: 'open', argument: { by: 'ada' } }]]);
    expect(out).toEqual(['anthropic/default: the usage limit counts as over; 2 waiting runs go on']);
    expect(closedAccounts(home, Date.now())).toEqual([]);
  });

  it('opens what this host remembers though nobody waits and the engine is down', async () => {
    const { context, connect, out } = aTerminal(null);
    await remember('anthropic/default');

    expect(await openQuota(context, 'anthropic/default', connect)).toBe(0);
    expect(out.join()).toContain('no run waited');
    expect(closedAccounts(home, Date.now())).toEqual([]);
  });

  it('tells a gate that refused from a server that keeps no more, and opens nothing', async () => {
    const by = (answer: Sent) => {
      const { context, connect } = aTerminal([aGate('a/x')], { answer });
      return openQuota(context, null, connect);
    };
    await remember('a/x');

    await expect(by({ kind: 'refused', why: 'no' })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('refused'),
    });
    await expect(by({ kind: 'not_kept', why: 'no' })).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('keeps no more'),
    });
    expect(closedAccounts(home, Date.now())).toHaveLength(1);
  });

  it('asks for a name where several are limited, and names them', async () => {
    const { context, connect } = aTerminal([aGate('a/x'), aGate('b/x')]);

    await expect(openQuota(context, null, connect)).rejects.toMatchObject({
      parts: { now: expect.stringContaining('a/x, b/x') },
    });
    await expect(openQuota(context, 'c/x', connect)).rejects.toMatchObject({
      parts: { what: expect.stringContaining('c/x') },
    });
  });

  it('opens nothing from inside a turn', async () => {
    const { context, connect, sent } = aTerminal([aGate('a/x')], { env: { SLUICE_TURN: 'token' } });

    await expect(openQuota(context, null, connect)).rejects.toThrow('inside a turn');
    expect(sent).toEqual([]);
  });
});

describe('a run that waits for a usage limit', () => {
  it('shows the time that is left in the list', () => {
    const run = aListedRun('shop-1', { waiting: 'usage_limit', waitingUntil: soon(HOUR_MS + 30_000) });

    expect(statusText(run)).toMatch(/^executing \(waits: usage_limit, 1:00:(?:2\d|30) left\)$/);
    expect(statusText({ ...run, waitingUntil: soon(-1) })).toBe('executing (waits: usage_limit, due now)');
    expect(statusText({ ...run, waiting: 'approval' })).toBe('executing (waits: approval)');
  });

  it('names the account in its status', () => {
    const now = Date.parse('2026-11-21T10:00:00.000Z');

    expect(
      waitingText({ kind: 'usage_limit', until: '2026-11-21T10:12:30.000Z', account: 'anthropic/default' }, now),
    ).toBe('the usage limit of anthropic/default to end, 12:30 left');
  });
});
