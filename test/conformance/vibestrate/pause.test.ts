import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import type { RunCase } from '../../support/ended-run.js';
import { guardPid } from '../../support/guard-pid.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { type OwnServer, openHostOn, openOwnServer } from '../../support/own-server.js';
import { sideBySide } from '../../support/side-by-side.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { PLAIN_FIXTURE } from '../../support/test-repository.js';
import { promptsOf } from '../../support/turn-files.js';

const LIMIT_MS = 300_000;
const TURNS = [
  'planning',
  'architecting',
  'executing',
  'reviewing',
  'verifying',
] as const satisfies readonly TurnStage[];
const EACH_ONCE = [...TURNS];
const DONE = { outcome: 'merge_ready' };

/** Gives up after a minute. */
const HELD_CHECK = `validation:
  commands: ['n=0; while [ ! -e "$HOME/validating-guided" ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done']
`;

/** The stage's agent waits for `release('go')`. */
const heldAt = (stage: (typeof TURNS)[number]): NonNullable<RunCase['stages']> => ({
  [stage]: { ...PLAIN_FIXTURE.stages[stage], waitFor: 'go' },
});

const path = ({ run }: AttendedRun) => run.statuses().join(' ');
const types = ({ run }: AttendedRun) => run.events().map(({ type }) => type);

describe('a pause', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'V-60, V-61: is honoured at the next boundary; resume goes on with the next stage and repeats none',
    async () => {
      const person = await attendedRun(host, { stages: heldAt('executing') });
      const sluice = (command: string) => sluiceBeside(host, [command, person.run.runId]);
      await person.started('executing');
      const paused = await sluice('pause');
      expect(await person.run.view()).toMatchObject({
        status: 'executing',
        pauseRequested: true,
        pausedAtStatus: null,
      });
      person.repository.release('go');
      expect(await person.until('paused')).toMatchObject({ pausedAtStatus: 'executing', pauseRequested: false });
      expect(person.turns().at(-1)).toBe('executing');
      const resumed = await sluice('resume');

      expect([paused.code, resumed.code]).toEqual([0, 0]);
      expect(await person.result()).toMatchObject(DONE);
      expect(path(person)).toContain('executing paused executing validating');
      expect(person.turns()).toEqual(EACH_ONCE);
      expect(await person.run.view()).toMatchObject({ pausedAtStatus: null });
    },
    LIMIT_MS,
  );

  it(
    'V-61: comes before a gate at the same boundary',
    async () => {
      const person = await attendedRun(host, { config: 'gates: [verifying]\n', stages: heldAt('reviewing') });
      await person.started('reviewing');
      await person.send('pause');
      person.repository.release('go');
      await person.until('paused');
      expect((await person.run.view()).pendingApprovalId).toBeNull();
      await person.send('resume');
      await person.approve(1);

      expect(await person.result()).toMatchObject(DONE);
      expect(path(person)).toContain('reviewing paused reviewing verifying waiting_for_approval verifying merge_ready');
      expect(person.turns()).toEqual(EACH_ONCE);
    },
    LIMIT_MS,
  );

  it(
    'V-61: is honoured at the end of the last stage too, unless that turn ends the run otherwise',
    async () => {
      const refuse = { verifying: { text: 'No.', decision: 'FAILED', waitFor: 'go' } };
      const [passed, failed] = await Promise.all([
        attendedRun(host, { stages: heldAt('verifying') }),
        attendedRun(host, { config: 'stageList: [executing, verifying]\n', stages: refuse }),
      ]);
      for (const person of [passed, failed]) {
        await person.started('verifying');
        await person.send('pause');
        person.repository.release('go');
      }
      await passed.until('paused');
      await passed.send('resume');

      expect(await passed.result()).toMatchObject(DONE);
      expect(path(passed)).toMatch(/ verifying paused verifying merge_ready$/);
      expect(passed.turns()).toEqual(EACH_ONCE);
      expect(await failed.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'verification_failed' });
      expect(path(failed)).toBe('executing verifying blocked');
    },
    LIMIT_MS,
  );

  it(
    'V-62: asked for at a random moment of a turn is never lost: 20 of 20',
    async () => {
      const stages = Object.fromEntries(
        TURNS.map((stage) => [stage, { ...PLAIN_FIXTURE.stages[stage], waitFor: `go-${stage}` }]),
      );
      const honoured = sideBySide([1, 2, 3, 4], 2, async () => {
        const person = await attendedRun(host, { stages });
        const at: unknown[] = [];
        for (const stage of TURNS) {
          await person.started(stage);
          // Spreads the pauses over the turn; whatever the moment, the pause must be honoured.
          await sleep(Math.random() * 700);
          await person.send('pause');
          person.repository.release(`go-${stage}`);
          at.push((await person.until('paused')).pausedAtStatus);
          await person.send('resume');
        }
        expect(await person.result()).toMatchObject(DONE);
        expect(person.turns()).toEqual(EACH_ONCE);
        return at;
      });

      const at = (await Promise.all(honoured.values())).flat();
      expect(at).toHaveLength(20);
      expect(at).toEqual([1, 2, 3, 4].flatMap(() => EACH_ONCE));
    },
    LIMIT_MS,
  );

  it(
    'V-63, V-64: resumed before the boundary never comes; a repeated request changes nothing; what cannot be is refused',
    async () => {
      const person = await attendedRun(host, { config: 'gates: [verifying]\n', stages: heldAt('planning') });
      await person.started('planning');
      expect(await person.refusal('resume')).toBe('nothing is paused and no pause is pending');
      expect(await person.send('pause')).toMatchObject({ changed: true });
      const again = await sluiceBeside(host, ['pause', person.run.runId, '--json']);
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({
        sent: 'accepted',
        changed: false,
        message: 'a pause is pending already',
      });
      expect(await person.send('resume')).toMatchObject({ changed: true });
      expect(await person.refusal('resume')).toBe('nothing is paused and no pause is pending');
      person.repository.release('go');
      await person.gate();
      expect(await person.refusal('pause')).toBe('the run waits at gate-1; decide that instead');
      await person.approve(1);

      expect(await person.result()).toMatchObject(DONE);
      expect(types(person)).not.toContain('run.paused');
      expect(types(person).filter((type) => type === 'run.pause_requested')).toHaveLength(1);
      expect(path(person)).not.toContain('paused');
      await expect(person.send('pause')).rejects.toThrow('already completed');
      await expect(person.send('resume')).rejects.toThrow('already completed');
    },
    LIMIT_MS,
  );

  it(
    'V-64: is refused where the run is paused already',
    async () => {
      const person = await attendedRun(host, {
        config: 'stageList: [planning, executing]\n',
        stages: heldAt('planning'),
      });
      await person.started('planning');
      await person.send('pause');
      person.repository.release('go');
      await person.until('paused');

      expect(await person.refusal('pause')).toBe('the run is paused already');
      await person.send('resume');
      expect(await person.result()).toMatchObject(DONE);
    },
    LIMIT_MS,
  );

  it(
    'V-66: guidance sent in each stage is in the next prompt, once; a new title stays',
    async () => {
      const stages = Object.fromEntries(
        TURNS.map((stage) => [stage, { ...PLAIN_FIXTURE.stages[stage], waitFor: `${stage}-guided` }]),
      );
      const person = await attendedRun(host, { stages, config: HELD_CHECK });
      const { HOME = '' } = host.env;
      const titles: unknown[] = [];
      const next = {
        planning: 'architecting',
        architecting: 'executing',
        executing: 'reviewing',
        validating: 'reviewing',
        reviewing: 'verifying',
      };
      for (const stage of ['planning', 'architecting', 'executing', 'validating', 'reviewing', 'verifying'] as const) {
        if (stage === 'validating') await person.until('validating');
        else await person.started(stage);
        const steer = await sluiceBeside(host, ['steer', person.run.runId, `a note sent in ${stage}`]);
        expect(steer.code).toBe(0);
        titles.push((await person.run.view()).title);
        await person.send('rename', { title: `named in ${stage}` });
        if (stage === 'validating') writeFileSync(join(HOME, 'validating-guided'), '');
        else person.repository.release(`${stage}-guided`);
      }
      await person.result();

      for (const [stage, to] of Object.entries(next)) {
        const text = `a note sent in ${stage}`;
        expect(person.prompt(to)).toContain(text);
        const read = TURNS.filter((turn) => person.prompt(turn).includes(text));
        expect(read).toEqual([to]);
      }
      // Each outlives the stage that it was given in.
      const named = [...Object.keys(next), 'verifying'].map((stage) => `named in ${stage}`);
      expect([...titles.slice(1), (await person.run.view()).title]).toEqual(named);
      expect(JSON.parse(person.run.read('state.json'))).toMatchObject({ title: 'named in verifying' });
    },
    LIMIT_MS,
  );

  it(
    'V-66: guidance sent while a fix is made is in the review after it, and nowhere else',
    async () => {
      const stages = {
        reviewing: [
          { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
          { text: 'Right.', decision: 'APPROVED' },
        ],
        fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.', waitFor: 'go' },
      };
      const person = await attendedRun(host, {
        stages,
        config: 'stageList: [executing, reviewing, fixing, verifying]\n',
      });
      await person.started('fixing');
      expect((await sluiceBeside(host, ['steer', person.run.runId, 'a note sent in fixing'])).code).toBe(0);
      await person.send('rename', { title: 'named in fixing' });
      person.repository.release('go');

      expect(await person.result()).toMatchObject(DONE);
      const prompts = (stage: string) =>
        promptsOf(person.run, stage).map((text) => text.includes('a note sent in fixing'));
      expect(person.turns()).toEqual(['executing', 'reviewing', 'fixing', 'reviewing', 'verifying']);
      expect(['executing', 'reviewing', 'fixing', 'verifying'].map(prompts)).toEqual([
        [false],
        [false, true],
        [false],
        [false],
      ]);
      expect(await person.run.view()).toMatchObject({ title: 'named in fixing' });
    },
    LIMIT_MS,
  );
});

describe('a paused run over the death of every process', () => {
  let server: OwnServer;
  let host: TestHost;

  beforeAll(async () => {
    server = await openOwnServer();
    host = await openHostOn(server);
  }, LIMIT_MS);

  afterAll(async () => {
    await host.close();
    await server.close();
  }, LIMIT_MS);

  it(
    'V-65: waits without a timer or any other event, and goes on when resumed',
    async () => {
      const worker = await host.startWorker();
      const person = await attendedRun(host, { stages: heldAt('planning') });
      await person.started('planning');
      await person.send('pause');
      person.repository.release('go');
      await person.until('paused');
      const before = await person.historyLength();
      process.kill(guardPid(host.home), 'SIGKILL');
      await Promise.all([worker.kill(), server.kill()]);
      await server.start();
      await host.startWorker();

      expect(await person.run.view()).toMatchObject({ status: 'paused', pausedAtStatus: 'planning' });
      expect(await person.historyLength()).toBe(before);
      expect(await person.timers()).toEqual([]);
      await person.send('resume');
      expect(await person.result()).toMatchObject(DONE);
      expect(person.turns()).toEqual(EACH_ONCE);
    },
    LIMIT_MS,
  );
});
