/** A person's decisions by the built command line, around the death of everything that would take them. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { startsOf } from '../support/run-traces.js';
import {
  fixtureWith,
  makeRepository,
  PLAIN_FIXTURE,
  PLAIN_VALIDATION,
  type TestRepository,
} from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

let world: CliWorld;

beforeAll(async () => {
  world = openCliWorld();
  await world.sluice(['up']);
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

/** The project says that people answer: no terminal starts these runs. */
async function repositoryOf(
  id: string,
  waitFor?: string,
  stage: 'planning' | 'executing' = 'planning',
): Promise<TestRepository> {
  const folder = join(world.folder, `of-${id}`);
  mkdirSync(folder);
  const held = { ...PLAIN_FIXTURE.stages[stage], ...(waitFor === undefined ? {} : { waitFor }) };
  const repository = makeRepository(folder, {
    fixture: fixtureWith({ [stage]: held }),
    config: `${PLAIN_VALIDATION}attended: true\n`,
  });
  await addRepository(world.home, repository.path);
  await trustConfig(world.home, repository.path, repository.configText);
  return repository;
}

async function start(id: string, repository: TestRepository, ...more: string[]): Promise<void> {
  const args = ['run', 'change a.txt', '--detach', '--run-id', id, '--repo', repository.path, ...more];
  expect(await world.sluice(args)).toMatchObject({ code: 0 });
}

async function statusOf(id: string, repository: TestRepository): Promise<unknown> {
  const { stdout } = await world.sluice(['status', id, '--json'], { cwd: repository.path });
  return jsonLines(stdout)[0]?.['status'];
}

/** By the run's own files: what is asked of the command line is counted in processes. */
async function untilStatus(id: string, { path }: TestRepository, status: string): Promise<void> {
  const file = join(path, '.sluice/runs', id, 'state.json');
  await until(() => existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as RunView).status === status);
}

/** What follows the last line feed is still being written. */
function journalOf(id: string, { path }: TestRepository): JournalEvent[] {
  const lines = readFileSync(join(path, '.sluice/runs', id, 'events.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEvent);
}

const count = (id: string, repository: TestRepository, type: string) =>
  journalOf(id, repository).filter((event) => event.type === type).length;

describe('a run that waits for a person', () => {
  it(
    'takes one of 20 decisions that come at once, refuses the others with the reason, and no command takes a busy engine for one that is down',
    async () => {
      const asked = await repositoryOf('asked', 'go', 'executing');
      await start('asked', asked, '--gate', 'executing');
      await untilStatus('asked', asked, 'waiting_for_approval');

      const told = await Promise.all(
        Array.from({ length: 20 }, () => world.sluice(['approve', 'asked'], { cwd: asked.path })),
      );

      const said = told.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`).toSorted();
      expect(said).toEqual([
        expect.stringContaining('0 approve accepted by asked: gate-1 is decided'),
        ...Array.from({ length: 19 }, () => expect.stringMatching(/^3 [^]*(?:no gate is open|has no open gate)/)),
      ]);
      asked.release('go');
      await untilStatus('asked', asked, 'merge_ready');
      // The journal's lines come after the answers, but before the state that tells the end.
      expect(count('asked', asked, 'approval.approved')).toBe(1);
    },
    LIMIT_MS,
  );

  it(
    'outlives the death of engine, server, worker and guard, is shown meanwhile, and goes on when it is told to afterwards',
    async () => {
      const gated = await repositoryOf('gated');
      const paused = await repositoryOf('paused', 'go');
      await start('gated', gated, '--gate', 'executing');
      await start('paused', paused);
      await until(() => startsOf(paused, 'planning') === 1);
      expect(await world.sluice(['pause', 'paused'], { cwd: paused.path })).toMatchObject({ code: 0 });
      paused.release('go');
      await untilStatus('paused', paused, 'paused');
      await untilStatus('gated', gated, 'waiting_for_approval');
      await until(() => journalOf('gated', gated).at(-1)?.type === 'approval.requested');

      await world.killAll();
      expect(await statusOf('gated', gated)).toBe('waiting_for_approval');
      const early = await world.sluice(['approve', 'gated'], { cwd: gated.path });
      expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('sluice up') });
      expect(world.living()).toEqual([]);

      await world.sluice(['up']);
      expect(await world.sluice(['approve', 'gated', '-m', 'fine'], { cwd: gated.path })).toMatchObject({ code: 0 });
      expect(await world.sluice(['resume', 'paused'], { cwd: paused.path })).toMatchObject({ code: 0 });
      await untilStatus('gated', gated, 'merge_ready');
      await untilStatus('paused', paused, 'merge_ready');
      for (const repository of [gated, paused])
        expect(STAGES.map((stage) => startsOf(repository, stage))).toEqual([1, 1, 1, 1, 1]);
      expect(count('gated', gated, 'approval.requested')).toBe(1);
      expect(count('paused', paused, 'run.paused')).toBe(1);
    },
    LIMIT_MS,
  );
});
