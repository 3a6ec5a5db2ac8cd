/** What a forge, its repository or whoever set them up can do to a head that is to be shown and landed there: each is told, and nothing is done that should not be. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createForgeActivities } from '../../../activities/forge/forge-activities.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
afterEach(() => {
  world.forge.close();
  removeFolders();
});

const HOUR_MS = 3_600_000;

const text = (words: string) => expect.stringContaining(words);

describe('a repository here', () => {
  let silent: Server;
  afterEach(() => void silent.close());

  it('with two remotes, one that hangs and one that asks for a password, and with addresses written over, is asked for none of them', async () => {
    world = await openForgeWorld();
    let calls = 0;
    silent = createServer((socket) => void ((calls += 1), socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // Of a server that listens on a port.
    const hangs = `http://127.0.0.1:${port}`;
    const { root } = world.run.record.repository;
    const origin = world.forge.gitUrl.replace(/\/owner.*/, '');
    for (const [key, value] of [
      ['remote.origin.url', `${hangs}/a.git`],
      ['remote.origin.pushurl', `${hangs}/a.git`],
      ['remote.other.url', world.forge.gitUrl],
      [`url.${hangs}.insteadOf`, origin],
      [`url.${hangs}.pushInsteadOf`, origin],
      ['http.proxy', hangs],
      ['credential.helper', 'store'],
    ] as const)
      git(root, 'config', key, value);

    expect(await world.ensure()).toMatchObject({ kind: 'pull', number: 1 });
    expect(await world.land()).toMatchObject({ landed: { kind: 'merged' } });
    expect(calls).toBe(0);
  });
});

describe('a token', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['is missing', {}, 'neither GH_TOKEN nor GITHUB_TOKEN nor '],
    ['is no token', { GH_TOKEN: 'two words' }, 'GH_TOKEN holds no token'],
    ['has expired', { GITHUB_TOKEN: 'ghp_expired' }, 'Authentication failed'],
  ])('that %s is told as that', async (_what, environment, words) => {
    world = await openForgeWorld();
    const deps = { ...world.deps, environment: { PATH: '/nonexistent', ...environment } };
    const { ensurePull } = createForgeActivities(deps);

    const first = { headRunId: world.about.runId, head: null, base: 'main', pushed: null, number: null };
    const asked = { ...world.about, ...first, isDraft: true, notBefore: null, wasDraft: null, answers: [] };
    expect(await world.act(() => ensurePull(asked))).toEqual({ kind: 'unauthorized', why: text(words) });
    expect(world.forge.state.pulls).toEqual([]);
  });

  it.each([
    ['without a scope', 'Must have write access to Repository.'],
    ['of an app that was not given the right', 'Resource not accessible by integration'],
  ])('%s is told as that', async (_what, message) => {
    world = await openForgeWorld();
    world.forge.faults.arm('POST pulls', { kind: 'status', status: 403, message });

    expect(await world.ensure()).toMatchObject({ kind: 'missing_scope', why: text(message) });
  });

  it('that stands in what the forge says is in no answer', async () => {
    world = await openForgeWorld();
    const { token } = world.forge;
    world.forge.faults.arm('POST pulls', { kind: 'status', status: 422, message: `no, not with ${token}` });

    const answer = await world.ensure();

    expect(answer).toMatchObject({ kind: 'refused', why: text('no, not with') });
    expect(JSON.stringify(answer)).not.toContain(token);
  });

  it('that stands in a pull request that somebody wrote goes no further', async () => {
    world = await openForgeWorld();
    await world.ensure();
    world.forge.state.pull(1).body += `\nIt is ${world.forge.token}`;

    const answers = [await world.ensure({ number: 1, pushed: world.head }), await world.land()];

    expect(JSON.stringify(answers)).not.toContain(world.forge.token);
  });
});

describe('a repository of the forge', () => {
  it('that may not be pushed to is told as that, and holds the queue', async () => {
    world = await openForgeWorld();
    await world.ensure();
    world.forge.state.permissions = { admin: false, push: false, pull: true };
    const head = await world.change({ 'b.txt': 'more\n' });

    const denied = { kind: 'missing_scope', why: text('Permission denied to sluice') };
    expect(await world.ensure({ number: 1, pushed: world.forge.state.tip('sluice/run-1') })).toEqual(denied);
    world.forge.state.git('fetch', '--quiet', world.run.record.repository.commonDir, head);
    world.forge.state.git('update-ref', 'refs/heads/sluice/run-1', head);
    expect(await world.land()).toMatchObject({
      landed: { kind: 'moved' },
      base: { held: { reason: 'forge', why: text('may not do this in owner/name') } },
    });
  });

  it('that is archived is told as gone before anything is made there', async () => {
    world = await openForgeWorld();
    world.forge.state.isArchived = true;

    expect(await world.ensure()).toEqual({ kind: 'gone', why: text('archived') });
    expect(world.forge.state.pulls).toEqual([]);
  });

  it('that is empty, or has no such base, gets nothing', async () => {
    world = await openForgeWorld();
    world.forge.state.git('update-ref', '-d', 'refs/heads/main');

    expect(await world.ensure()).toEqual({ kind: 'gone', why: 'there is no branch main in owner/name' });
    expect(world.forge.state.git('for-each-ref')).toBe('');
  });

  it('that has 5 000 pull requests shows ours by the same requests', async () => {
    world = await openForgeWorld();
    const { state, faults } = world.forge;
    const other = (number: number) => ({
      number,
      nodeId: `PR_${number}`,
      title: 't',
      body: '',
      headRepo: 'owner/name',
      headBranch: `b-${number}`,
      headOid: world.base,
      base: 'main',
      state: 'closed' as const,
      isDraft: false,
      labels: [],
      merged: null,
      reviews: [],
      comments: [],
      isQueued: false,
      updatedAt: 0,
    });
    state.pulls = Array.from({ length: 5_000 }, (_, index) => other(index + 1));

    expect(await world.ensure()).toMatchObject({ kind: 'pull', number: 5_001 });
    expect(await world.ensure({ pushed: world.head })).toMatchObject({ kind: 'pull', number: 5_001 });
    expect([faults.came('GET pulls'), faults.done('POST pulls')]).toEqual([2, 1]);
  });
});

describe('a base', () => {
  it.each([
    ['with linear history', 'isLinear', 'must not contain merge commits'],
    ['that wants signed commits', 'isSigned', 'must have verified signatures'],
  ] as const)('%s refuses a merge in its own words, and takes the way that it wants', async (_what, rule, words) => {
    for (const method of ['merge', 'squash'] as const) {
      world = await openForgeWorld({ landing: { method } });
      await world.ensure();
      world.forge.state.protect('main');
      world.forge.state.rules[rule] = true;
      const { landed } = await world.land();

      if (method === 'squash') expect(landed).toMatchObject({ kind: 'merged' });
      else {
        expect(landed).toMatchObject({ kind: 'exhausted', reason: 'refused', why: text(words) });
        world.forge.close();
      }
    }
  });

  it('whose rules do not bind the owner of the token, an admin, is bound by them for us', async () => {
    world = await openForgeWorld();
    await world.ensure();
    world.forge.state.protect('main');
    world.forge.state.rules.requiredChecks = [{ context: 'ci', app: null }];
    const asked = world.forge.faults.came('git receive-pack');

    // It would let an admin push and merge past them: neither is tried.
    expect((await world.land()).landed).toMatchObject({ kind: 'exhausted', reason: 'not_ready', why: text('ci') });
    const { faults } = world.forge;
    expect([faults.came('git receive-pack') - asked, faults.came('PUT pulls/N/merge')]).toEqual([0, 0]);
  });

  it('with a rule that nobody saw says so in the words of its rule', async () => {
    world = await openForgeWorld();
    await world.ensure();
    world.forge.state.protect('main');
    world.forge.state.rules.needsPull = false;

    expect((await world.land()).landed).toMatchObject({
      kind: 'exhausted',
      reason: 'refused',
      why: text('GH006: refs/heads/main is protected'),
    });
  });
});

describe('a change of .github alone', () => {
  it('is told as guarded, and where the token may not push it, why', async () => {
    world = await openForgeWorld();
    world.forge.state.protect('sluice/run-1');
    expect(await world.ensure()).toEqual({ kind: 'refused', why: text('GH006') });
    world.forge.state.protect();
    mkdirSync(`${world.run.record.worktree}/.github/workflows`, { recursive: true });
    await world.change({ '.github/workflows/ci.yml': 'on: push\n' });

    expect(await world.ensure()).toMatchObject({ kind: 'pull' });
    expect(world.forge.state.pull(1).body).toMatch(/Guarded files[^]*\.github\/workflows\/ci\.yml/);
  });
});

describe.each([-HOUR_MS, HOUR_MS])('a forge whose clock is off by %i ms', (clockOff) => {
  it('shows, is looked at and lands as any, and its limits are waited for by ours', async () => {
    world = await openForgeWorld();
    world.forge.state.clockOff = clockOff;
    const made = await world.ensure();
    const notBefore = made.kind === 'pull' ? made.updatedAt : null;
    const asked = { ...world.about, number: 1, notBefore };

    expect(await world.act(({ lookAtPull }) => lookAtPull(asked))).toMatchObject({ kind: 'pull' });
    expect(world.forge.faults.came('PullState')).toBe(1);
    world.forge.faults.arm('PullState', { kind: 'limited', by: 'reset' });
    const limited = await world.act(({ lookAtPull }) => lookAtPull(asked));
    const waits = limited.kind === 'limited' ? Date.parse(limited.until) - Date.now() : Number.NaN;
    expect([waits > 0, waits < HOUR_MS / 2]).toEqual([true, true]);
    expect((await world.land()).landed).toMatchObject({ kind: 'merged' });
  });
});
