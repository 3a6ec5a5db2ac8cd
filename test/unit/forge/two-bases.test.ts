/** A base of a forge beside one of the repository: which of them a run lands on, what a repair begins at, and two hosts with one base. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { cleanQueues } from '../../../activities/closing/clean-queues.js';
import { createForgeActivities } from '../../../activities/forge/forge-activities.js';
import { createFindBase } from '../../../activities/landing/find-base.js';
import { createPlanRepair } from '../../../activities/landing/plan-repair.js';
import type { LandingDeps } from '../../../activities/landing/queue-place.js';
import { claimRun, frozenHash, type RunRecord } from '../../../activities/unit/run-record.js';
import type { EnsurePullInput, EnsurePullResult } from '../../../protocol/actors/forge.js';
import type { FindBaseResult, PlanRepairInput } from '../../../protocol/actors/landing.js';
import { mergeQueueId, queueName } from '../../../protocol/actors/merge-queue.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { pushedRefOf } from '../../../protocol/names.js';
import type { LandingMode } from '../../../protocol/run/landing-policy.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
beforeEach(async () => {
  world = await openForgeWorld();
});
afterEach(() => {
  world.forge.close();
  removeFolders();
});

const ours = (...args: readonly string[]) => gitIn(world, ...args);

function gitIn({ run }: ForgeWorld, ...args: readonly string[]): string {
  const name = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
  return execFileSync('git', [...name, ...args], { cwd: run.record.repository.root, encoding: 'utf8' }).trim();
}

/** As a record of this host that the server knows an answer of. */
function addRun(part: Pick<RunRecord, 'runId' | 'input'>): void {
  const { record } = world.run;
  const stateDir = world.deps.home.stateDir(record.repoKey, part.runId);
  mkdirSync(stateDir, { recursive: true });
  claimRun(stateDir, { ...record, ...part, workflowId: part.runId, branch: `sluice/${part.runId}` }, 'process');
}

describe('where a run lands', () => {
  const findBase = (base: string, mended: string | null = null): Promise<FindBaseResult> =>
    new MockActivityEnvironment().run(() => createFindBase(world.deps)({ ...world.about, base, mended }));

  it('is looked for under heartbeats, however long its git takes', async () => {
    const passed: string[] = [];
    const deps = { ...world.deps, failpoint: (name: string) => passed.push(name) };
    await new MockActivityEnvironment().run(() => createFindBase(deps)({ ...world.about, base: 'main', mended: null }));

    expect(passed).toContain('activity.before-work');
  });

  it.each([
    ['main', 'main'],
    ['refs/heads/main', 'main'],
    ['origin/release/1', 'release/1'],
    ['refs/remotes/origin/main', 'main'],
    ['not-here', 'not-here'],
  ])('is the branch of the forge, whatever is in the repository: %s', async (base, branch) => {
    expect(await findBase(base)).toMatchObject({
      kind: 'branch',
      branch,
      head: null,
      terms: { forge: { repo: 'owner/name', checksTimeoutMs: 3_600_000, reactRounds: 2 } },
    });
  });

  it.each(['HEAD', '@', 'a'.repeat(40), '', 'origin/', 'a b', '-x', 'a..b', 'a/.b', 'x.lock', 'refs/tags/v1', 'a:b'])(
    'is none that is no name of a branch: %j',
    async (base) => {
      expect(await findBase(base)).toMatchObject({ kind: 'refused', why: expect.stringContaining('--onto') });
    },
  );

  it.each<LandingMode>(['watch', 'manual', 'pr', 'auto'])('is the forge by the mode %s', async (mode) => {
    world.forge.close();
    world = await openForgeWorld({ landing: { mode } });

    expect((await findBase('main')).terms).toMatchObject({ forge: { repo: 'owner/name' }, landing: { mode } });
  });

  it('knows what was mended only against what was fetched', async () => {
    const { branch } = world.run.record;
    const tree = ours('rev-parse', `${branch}^{tree}`);
    const theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n');
    expect(await findBase('main', world.head)).toMatchObject({ head: null });
    await world.lookAtBase();
    const mended = ours('commit-tree', tree, '-p', world.head, '-p', theirs, '-m', 'mended');
    ours('update-ref', `refs/heads/${branch}`, mended);

    expect(await findBase('main', world.head)).toMatchObject({ kind: 'branch', head: mended });
  });
});

describe('a repair', () => {
  const planned = (given: Partial<PlanRepairInput> = {}) => ({
    ...world.about,
    head: world.head,
    queue: world.queue,
    kind: 'recreate' as const,
    isConflict: true,
    why: 'a conflict',
    findings: [],
    by: null,
    ...given,
  });
  const planThere = () => world.act(({ planRepair }) => planRepair(planned()));
  const plan = (given: Partial<PlanRepairInput> = {}) =>
    new MockActivityEnvironment().run(() => createPlanRepair(world.deps)(planned(given)));

  it('begins where the base of the forge was seen last, by whoever has no token', async () => {
    expect(await plan()).toMatchObject({ kind: 'refused', why: 'the branch main is gone' });
    const theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n');
    await world.lookAtBase();
    const asked = world.forge.faults.log.length;

    expect(await plan()).toMatchObject({ kind: 'planned', rewind: { onto: { base: theirs, start: theirs } } });
    expect(world.forge.faults.log).toHaveLength(asked);
  });

  it('begins at the base of the forge as it is now, by who has the token; and as it was seen last where it does not answer', async () => {
    expect(await planThere()).toMatchObject({ kind: 'planned', rewind: { onto: { base: world.base } } });
    const theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n');
    expect(await planThere()).toMatchObject({ kind: 'planned', rewind: { onto: { base: theirs, start: theirs } } });
    world.forge.state.commit('main', 'd.txt', 'more\n');
    world.forge.close();

    expect(await planThere()).toMatchObject({ kind: 'planned', rewind: { onto: { base: theirs } } });
  });

  it('of a base that was never seen says why the forge was not asked', async () => {
    world.forge.state.scopes.clear();

    expect(await planThere()).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/^the branch main is gone; the forge was not asked: .*Authentication failed/),
    });
  });

  describe('that began at what both come to, with markers', () => {
    let theirs = '';
    let start = '';
    let repaired = '';
    let activities: ReturnType<typeof createForgeActivities>;
    const shown = (given: Partial<EnsurePullInput>): Promise<EnsurePullResult> => {
      const rest = {
        head: null,
        base: 'main',
        pushed: world.head,
        number: 1,
        isDraft: false,
        notBefore: null,
        wasDraft: false,
        answers: [],
        ...given,
      };
      return new MockActivityEnvironment().run(() =>
        activities.ensurePull({ ...world.about, headRunId: 'run-3', ...rest }),
      );
    };
    const land = (head: string) => {
      const entry = { id: 'landing:first/exec/run-3/1', runId: 'run-3', repoKey: world.about.repoKey, pull: 1, head };
      const input = { place: world.place(), queue: world.queue, owner: 'q', entry: { ...entry, anyway: false } };
      return new MockActivityEnvironment().run(() => activities.landEntry({ ...input, chain: null, evidence: [] }));
    };
    const parentsOf = (commit: string) => world.forge.state.git('log', '-1', '--format=%P', commit).split(' ');

    beforeEach(async () => {
      await world.ensure();
      theirs = world.forge.state.commit('main', 'b.txt', 'theirs\n');
      await world.lookAtBase();
      const tree = ours('rev-parse', `${world.head}^{tree}`);
      start = ours('commit-tree', tree, '-p', theirs, '-p', world.head, '-m', 'markers');
      repaired = ours('commit-tree', tree, '-p', start, '-m', 'repaired');
      ours('update-ref', 'refs/heads/sluice/run-3', repaired);
      const input = { ...world.run.record.input, rewind: { onto: { base: theirs, start } } } as RunRecord['input'];
      addRun({ runId: 'run-3', input });
      const readAnswer: LandingDeps['readAnswer'] = async (workflowId) => {
        const answer = await world.deps.readAnswer('run-1');
        if (workflowId !== 'run-3' || answer.kind !== 'answer') return answer;
        const frozen = frozenHash(world.deps.home.stateDir(world.about.repoKey, 'run-3'));
        return { ...answer, result: { source: { ...answer.result.source, head: repaired, frozen } } as RunResult };
      };
      activities = createForgeActivities({ ...world.deps, readAnswer });
    });

    it('is shown as it lands, so that nothing it began at reaches the forge', async () => {
      await shown({});

      const { state } = world.forge;
      expect(parentsOf('refs/heads/sluice/run-1')).toEqual([theirs, world.head]);
      expect(state.git('rev-parse', 'refs/heads/sluice/run-1^{tree}')).toBe(ours('rev-parse', `${repaired}^{tree}`));
    });

    it('is what the pull request tells of: its files, and its commit as the one that was checked', async () => {
      const { body } = world.forge.state.pull(1);
      expect([body.includes('added b.txt'), body.includes(world.head.slice(0, 12))]).toEqual([true, true]);
      repaired = ours('commit-tree', ours('rev-parse', `${world.base}^{tree}`), '-p', start, '-m', 'taken back');

      await shown({});

      const { body: now } = world.forge.state.pull(1);
      expect(now).toContain(repaired.slice(0, 12));
      expect([now.includes('added b.txt'), now.includes(world.head.slice(0, 12))]).toEqual([false, false]);
    });

    it('and onto which somebody pushed has theirs in what a person mended of it, and takes its place', async () => {
      await shown({});
      const anns = world.forge.state.commit('sluice/run-1', 'c.txt', 'of ann\n');
      ours('fetch', '--quiet', world.forge.state.bare, 'refs/heads/sluice/run-1');
      ours('update-ref', pushedRefOf('run-3'), anns);
      const mended = ours('commit-tree', `${anns}^{tree}`, '-p', repaired, '-p', anns, '-m', 'mended');
      ours('update-ref', 'refs/heads/sluice/run-3', mended);

      expect(await shown({ head: mended, pushed: null })).toMatchObject({ kind: 'pull' });
      expect(parentsOf('refs/heads/sluice/run-1')).toEqual([theirs, anns]);
    });

    it('and that a person mended by hand is shown as that lands, and lands', async () => {
      const tree = ours('rev-parse', `${world.base}^{tree}`);
      const mended = ours('commit-tree', tree, '-p', repaired, '-m', 'mended');
      ours('update-ref', 'refs/heads/sluice/run-3', mended);

      const first = await shown({ head: mended });
      expect(first).toMatchObject({ kind: 'pull', number: 1, head: world.forge.state.tip('sluice/run-1') });
      const head = first.kind === 'pull' ? first.head : '';
      expect(await shown({ head: mended, pushed: head })).toEqual(first);
      expect([parentsOf(head)[0], head === mended]).toEqual([theirs, false]);
      expect(await land(mended)).toMatchObject({ landed: { kind: 'merged' } });
      expect(world.forge.state.git('rev-list', 'main').split('\n')).not.toContain(start);
    });

    it('and that a person pushed to lands as they pushed it', async () => {
      const first = await shown({});
      const pushed = world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n');
      expect(first).toMatchObject({ kind: 'pull' });
      expect(await shown({ head: pushed, pushed })).toMatchObject({ kind: 'pull', head: pushed });

      expect(await land(pushed)).toMatchObject({ landed: { kind: 'merged' } });
      expect(world.forge.state.git('rev-list', 'main').split('\n')).toContain(pushed);
    });
  });
});

describe('one base of two hosts', () => {
  it('gets the heads of both, each from where its commits are', async () => {
    const other = await openForgeWorld({ beside: world });
    for (const one of [world, other]) await one.ensure();

    const first = await world.land({ pull: 1 });
    const second = await other.land({ pull: 2 });

    expect([first.landed.kind, second.landed.kind]).toEqual(['merged', 'merged']);
    const { state } = world.forge;
    expect(state.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(mergeQueueId(world.queue)).toBe(mergeQueueId(other.queue));
    const base = `refs/sluice/${queueName(world.queue)}/base`;
    expect([gitIn(world, 'rev-parse', base), gitIn(other, 'rev-parse', base)]).toEqual([world.head, state.tip('main')]);
  });
});

describe('what a queue of a forge left', () => {
  it('goes once the server says that this very queue is over', async () => {
    await world.lookAtBase();
    const asked: string[] = [];
    const cleaned = (isOver: boolean) =>
      cleanQueues({ ...world.deps, isOpen: async (id) => asked.push(id) > 0 && !isOver }, world.run);

    expect(await cleaned(false)).toEqual([]);
    expect(await cleaned(true)).toEqual(['what the merge queue of main of owner/name left']);

    expect(asked).toEqual(['merge-queue:owner/name@main', 'merge-queue:owner/name@main']);
    expect(ours('for-each-ref', 'refs/sluice/@*')).toBe('');
  });
});
