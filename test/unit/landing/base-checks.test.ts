/** What a merge queue checks what lands with, and whose checks count for it: the base's own config, by real git and real commands. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCheckTree } from '../../../activities/landing/check-tree.js';
import { createLandEntry } from '../../../activities/landing/land-entry.js';
import type { LandingDeps } from '../../../activities/landing/queue-place.js';
import { trustConfig } from '../../../config/home/trust.js';
import type { CheckTreeResult, Landed, TreeEvidence } from '../../../protocol/actors/merge-queue.js';
import type { RunResult, RunSource } from '../../../protocol/messages/messages.js';
import type { Policy } from '../../../protocol/run/policy.js';
import { git, removeFolders, tempFolder } from '../git/repository-fixture.js';
import { type OpenedHost, openHost } from '../run/opened-host.js';

afterEach(removeFolders);

const CONFIG = '.sluice/config.yaml';
const HOUR_MS = 3_600_000;

interface Base {
  readonly config: string | null;
  readonly isTrusted?: boolean;
  /** Of the run whose head lands. */
  readonly policy?: Partial<Policy>;
}

class World {
  private seq = 0;

  private constructor(
    readonly host: OpenedHost,
    readonly deps: LandingDeps,
    readonly source: RunSource,
  ) {}

  static async open({ config, isTrusted = true, policy = {} }: Base): Promise<World> {
    const files = { 'a.txt': 'one\n', ...(config === null ? {} : { [CONFIG]: config }) };
    const host = await openHost({ files, policy });
    const { repository, repoKey, baseSha } = host.run.record;
    if (config !== null && isTrusted) await trustConfig(host.deps.home.root, repository.root, config);
    const head = await host.change({ 'a.txt': 'two\n' });
    const base = { branch: 'main', sha: baseSha };
    const source = { host: 'host', repoKey, frozen: 'f', base, head, evidence: null };
    const environment = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: tempFolder() };
    const deps: LandingDeps = {
      ...host.deps,
      environment,
      // What is read of a run's answer.
      readAnswer: async () => ({ kind: 'answer', owner: null, result: { source } as unknown as RunResult }),
    };
    return new World(host, deps, source);
  }

  async land(evidence: readonly TreeEvidence[] = [], own: RunSource['evidence'] = null): Promise<Landed> {
    const source = { ...this.source, evidence: own };
    const readAnswer: LandingDeps['readAnswer'] = async () => ({
      kind: 'answer',
      owner: null,
      result: { source } as unknown as RunResult,
    });
    const act = createLandEntry({ ...this.deps, readAnswer });
    return (await this.host.act(() => act({ ...this.queued(), chain: null, evidence }))).landed;
  }

  check(): Promise<CheckTreeResult> {
    const { head, base } = this.source;
    return this.host.act(() => createCheckTree(this.deps)({ ...this.queued(), commit: head, on: base.sha }));
  }

  async green(): Promise<TreeEvidence> {
    const checked = await this.check();
    if (checked.outcome !== 'green') throw new Error(checked.why ?? checked.outcome);
    const { tree, checks, at } = checked;
    return { tree, checks, at, on: this.source.base.sha };
  }

  queued() {
    this.seq += 1;
    const { repoKey, runId } = this.host.run.record;
    const place = { runId: '@0123456789abcdef', seq: this.seq, token: randomUUID() };
    const entry = { id: `landing:first/exec/${runId}/1`, runId, repoKey, pull: null, head: null, anyway: false };
    return { place, queue: { repoKey, branch: 'main' }, owner: 'queue-1', entry };
  }
}

function checking(...commands: readonly string[]): string {
  return `sandbox: off\nvalidation:\n  commands: ${JSON.stringify(commands)}\n`;
}

function frozen(...commands: readonly string[]): Partial<Policy> {
  const set = { commands, timeoutMs: 60_000, baseFailures: 'fix' } as const;
  return { checks: { validation: { ...set, onFailure: 'fix' }, landing: set } };
}

describe('what lands', () => {
  it("is checked by the commands and the set-up of the base's own config, whatever the run was opened with", async () => {
    const config = `${checking('test -f .git/made')}worktree:\n  setup: ["touch .git/made"]\n`;
    const world = await World.open({ config, policy: frozen('false') });

    const first = await world.land();
    const checked = await world.check();

    expect(first).toMatchObject({ kind: 'check', commit: world.source.head });
    expect(checked).toMatchObject({ outcome: 'green', why: null });
    expect(world.host.started).toEqual(['touch .git/made', 'test -f .git/made']);
  });

  it('is checked as the run was where the base has no config', async () => {
    const world = await World.open({ config: null, policy: frozen('grep two a.txt') });

    expect(await world.land()).toMatchObject({ kind: 'check' });
    expect(await world.check()).toMatchObject({ outcome: 'green' });
    expect(world.host.started).toEqual(['grep two a.txt']);
  });

  it('is checked by what landing.required names too', async () => {
    const world = await World.open({ config: `${checking('true')}landing:\n  required: ["true", "grep one a.txt"]\n` });

    expect(await world.check()).toMatchObject({ outcome: 'red', why: expect.stringContaining('`grep one a.txt`') });
    expect(world.host.started).toEqual(['true', 'grep one a.txt', 'grep one a.txt']);
  });

  it.each<[string, Base, CheckTreeResult['outcome']]>([
    ['some command could not run', { config: checking('true', 'no-such-program') }, 'unchecked'],
    ['no command could run', { config: checking('no-such-program') }, 'unchecked'],
    ['a command is red', { config: checking('false') }, 'red'],
  ])('does not land where %s', async (_what, base, outcome) => {
    const world = await World.open(base);

    expect(await world.check()).toMatchObject({ outcome });
  });

  it('lands unchecked where the base has no commands', async () => {
    const world = await World.open({ config: 'sandbox: off\n', policy: frozen('false') });

    expect(await world.land()).toMatchObject({ kind: 'ready' });
    expect(world.host.started).toEqual([]);
  });

  it('waits where nobody trusted the config of the base, and is checked once somebody has', async () => {
    const config = checking('true');
    const world = await World.open({ config, isTrusted: false });
    const why = expect.stringContaining(`sluice trust --at ${world.source.base.sha.slice(0, 12)}`);

    expect(await world.land()).toEqual({ kind: 'held', reason: 'config_not_trusted', why });
    expect(await world.check()).toEqual({ outcome: 'held', reason: 'config_not_trusted', why });
    expect(world.host.started).toEqual([]);

    await trustConfig(world.deps.home.root, world.host.run.record.repository.root, config);
    expect(await world.land()).toMatchObject({ kind: 'check' });
  });

  it('is refused where the config of the base cannot be read, and says where', async () => {
    const world = await World.open({ config: 'rounds: many\n' });

    await expect(world.land()).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringContaining(`${CONFIG}:1`),
    });
  });
});

describe('green checks', () => {
  const STALE = new Date(Date.now() - 25 * HOUR_MS).toISOString();

  it.each<[string, Partial<TreeEvidence>, string, Landed['kind']]>([
    ['of the same tree', {}, '', 'ready'],
    ['of another tree', { tree: 'd'.repeat(40) }, '', 'check'],
    ['of other commands', { checks: '9'.repeat(64) }, '', 'check'],
    ['that are older than a day', { at: STALE }, '', 'check'],
    ['of the tree made on another commit', { on: 'e'.repeat(40) }, '', 'ready'],
    ['of the tree made on another commit, by landing.evidence', { on: 'e'.repeat(40) }, 'evidence: commit', 'check'],
    ['of the tree made on this commit, by landing.evidence', {}, 'evidence: commit', 'ready'],
  ])('%s (%j, %s) make of it: %s', async (_what, part, landing, kind) => {
    const world = await World.open({ config: `${checking('true')}landing: { attempts: 1, ${landing} }\n` });
    const evidence = { ...(await world.green()), ...part };

    expect(await world.land([evidence])).toMatchObject({ kind });
    // The run's own, which is about its base.
    const own = { ...evidence, outcome: 'passed' } as const;
    if (part.on === undefined) expect(await world.land([], own)).toMatchObject({ kind });
  });

  it.each(['failed', 'partial', 'unavailable', 'base_failures_ignored'] as const)(
    'are none where those of the run are %s',
    async (outcome) => {
      const world = await World.open({ config: checking('true') });
      const { tree, checks, at } = await world.green();

      expect(await world.land([], { tree, checks, at, outcome })).toMatchObject({ kind: 'check' });
    },
  );

  it('are none once the environment of the host is another', async () => {
    const world = await World.open({ config: checking('true') });
    const evidence = await world.green();
    Object.assign(world.deps.environment, { LANG: 'C.UTF-8' });

    expect(await world.land([evidence])).toMatchObject({ kind: 'check' });
  });
});

describe('the title of what lands', () => {
  it("is the run's own", async () => {
    const policy = { landing: { title: '[{id}] {title}', method: 'merge' } } as unknown as Partial<Policy>;
    const world = await World.open({ config: null, policy });
    const { root } = world.host.run.record.repository;
    // So that there is something to merge.
    git(root, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');

    const landed = await world.land();

    if (landed.kind !== 'ready') throw new Error(landed.kind);
    expect(git(root, 'log', '-1', '--format=%s', landed.commit)).toBe('[first] x\n');
  });
});

describe('a repository of which somebody removed what lands', () => {
  const attempt = async (n: number) => {
    const world = await World.open({ config: null });
    const { root } = world.host.run.record.repository;
    rmSync(root, { recursive: true });
    const input = { ...world.queued(), chain: null, evidence: [] };
    const context = new MockActivityEnvironment({ attempt: n });
    return context.run(() => createLandEntry(world.deps)(input)).catch((error: unknown) => error);
  };

  it('is told to the owner of a head after ten attempts, and asked again before', async () => {
    expect(await attempt(9)).not.toBeInstanceOf(ApplicationFailure);
    expect(await attempt(10)).toMatchObject({ type: 'BadRepository', nonRetryable: true });
  });
});
