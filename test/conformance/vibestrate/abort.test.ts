import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { RunStatus } from '../../../protocol/run/lifecycle.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import type { RunCase } from '../../support/ended-run.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { msFromMessageToEnd } from '../../support/message-to-end.js';
import { livingTurns } from '../../support/run-traces.js';
import { sideBySide } from '../../support/side-by-side.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { PLAIN_FIXTURE } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;

/** The row's own time. */
const NAMED_MS = 5_000;

/** What else runs on the machine makes an abort slower, never quicker: the least of so many tells what the engine needs. */
const TRIES = 3;

const LIMITS = 'limits:\n  killGrace: 500ms\n';
const ONE_FIX = { reviewing: { text: 'Not yet.', decision: 'CHANGES_REQUESTED' } };

/** It and its child note a TERM and go on; both give up after a minute. */
const STUBBORN = `#!/bin/sh
(trap 'echo CHILD >> "$HOME/stubborn.txt"' TERM; m=0; while [ $m -lt 600 ]; do m=$((m + 1)); sleep 0.1; done) &
trap 'echo TERM >> "$HOME/stubborn.txt"' TERM
echo START >> "$HOME/stubborn.txt"
n=0
while [ $n -lt 600 ]; do n=$((n + 1)); sleep 0.1; done
echo END >> "$HOME/stubborn.txt"
`;

interface Aborted extends RunCase {
  readonly status: RunStatus;
  /** The file of the person's home in which its command notes what becomes of it. */
  readonly noted?: string;
  /** Resolves when it is time for the abort. */
  readonly reached: (person: AttendedRun, host: TestHost) => Promise<unknown>;
}

const inTurn = (stage: TurnStage, part: RunCase = {}): Aborted => ({
  config: LIMITS,
  ...part,
  status: stage,
  stages: { ...part.stages, [stage]: { ...PLAIN_FIXTURE.stages[stage], ignoreTerm: true, hang: true } },
  reached: (person) => person.started(stage),
});

const CASES = {
  'in planning': inTurn('planning'),
  'in architecting': inTurn('architecting'),
  // With the grace that no config names.
  'in executing': inTurn('executing', { config: '' }),
  'in reviewing': inTurn('reviewing'),
  'in fixing': inTurn('fixing', { stages: ONE_FIX }),
  'in verifying': inTurn('verifying'),
  'in validating': {
    status: 'validating',
    files: { 'check.sh': STUBBORN },
    config: `${LIMITS}stageList: [executing, validating]\nvalidation:\n  commands: ["./check.sh"]\n`,
    noted: 'stubborn.txt',
    reached: (_, host) => until(() => notes(host, 'stubborn.txt').length > 0),
  },
  'in the set-up of its worktree': {
    status: 'created',
    config: `${LIMITS}worktree:\n  setup: ["echo START >> $HOME/setup.txt; sleep 60; echo END >> $HOME/setup.txt"]\n`,
    noted: 'setup.txt',
    reached: (_, host) => until(() => notes(host, 'setup.txt').length > 0),
  },
  'at a gate': {
    status: 'waiting_for_approval',
    config: `${LIMITS}gates: [planning]\n`,
    reached: (person) => person.gate(),
  },
  'in a pause': {
    status: 'paused',
    config: LIMITS,
    stages: { planning: { text: 'Plan.', waitFor: 'go' } },
    reached: async (person) => {
      await person.started('planning');
      await person.send('pause');
      person.repository.release('go');
      await person.until('paused');
    },
  },
  'in a back-off': {
    status: 'planning',
    config: LIMITS,
    stages: { planning: { outcome: 'rate_limited after=600' } },
    reached: (person) => until(async () => (await person.run.view()).waiting?.kind === 'rate_limited'),
  },
} satisfies Record<string, Aborted>;

const TURN_STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'verifying'] as const;

type Name = keyof typeof CASES;

const NAMES = Object.keys(CASES).filter((name): name is Name => name in CASES);

interface Left {
  readonly person: AttendedRun;
  readonly path: readonly unknown[];
  readonly told: string;
}

describe('an abort by a person', () => {
  let host: TestHost;
  let runs: ReadonlyMap<Name, Promise<Left>>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = sideBySide(NAMES, 4, abortedIn);
  }, LIMIT_MS);

  afterAll(async () => {
    await Promise.allSettled(runs.values());
    await host.close();
  }, LIMIT_MS);

  async function abortedIn(name: Name): Promise<Left> {
    const { status, reached, noted, ...options }: Aborted = CASES[name];
    // It may be there from the try before.
    if (noted !== undefined) rmSync(noteFile(host, noted), { force: true });
    const person = await attendedRun(host, options);
    await reached(person, host);
    expect((await person.run.view()).status).toBe(status);
    const told = await sluiceBeside(host, ['abort', person.run.runId, '--reason', 'wrong task'], {
      env: { SLUICE_BY: 'grace' },
    });
    expect(await person.result()).toMatchObject({ outcome: 'aborted', error: 'aborted by grace: wrong task' });
    return { person, path: person.run.statuses(), told: told.stdout };
  }

  const leftOf = async (name: Name): Promise<Left> => {
    const left = await runs.get(name);
    if (left === undefined) throw new Error(`there is no run ${name}`);
    return left;
  };

  it.each(NAMES.filter((name) => name !== 'in the set-up of its worktree'))(
    'V-71: %s the run ends aborted, from the status that it had',
    async (name) => {
      const { path } = await leftOf(name);

      expect(path.slice(-2)).toEqual([CASES[name].status, 'aborted']);
    },
    LIMIT_MS,
  );

  it.each(NAMES)(
    "V-71: %s the run is aborted within 5 s by the server's times",
    async (name) => {
      const { person } = await leftOf(name);
      let least = await msFromMessageToEnd(person.run.handle);
      for (let tried = 1; least > NAMED_MS && tried < TRIES; tried += 1)
        least = Math.min(least, await msFromMessageToEnd((await abortedIn(name)).person.run.handle));

      expect(least).toBeLessThanOrEqual(NAMED_MS);
    },
    LIMIT_MS,
  );

  it(
    'V-71: in the set-up of its worktree the run ends aborted, and no agent was started',
    async () => {
      const { person } = await leftOf('in the set-up of its worktree');

      expect(await person.run.view()).toMatchObject({ status: 'aborted', outcome: 'aborted' });
      expect(person.turns()).toEqual([]);
      expect(notes(host, 'setup.txt')).toEqual(['START']);
    },
    LIMIT_MS,
  );

  it(
    'V-71: agents and commands that ignore TERM are killed, after 3 s where no config says another; none came to its end, none lives, and no back-off was waited for',
    async () => {
      await Promise.all(NAMES.map(leftOf));

      for (const stage of TURN_STAGES) {
        const { repository } = (await leftOf(`in ${stage}`)).person;
        const lines = readLedger(repository.ledgerPath).flatMap((entry) =>
          entry.stage === stage ? [entry.event] : [],
        );
        expect(lines).toEqual(['START']);
      }
      expect(notes(host, 'stubborn.txt')).toEqual(expect.arrayContaining(['START', 'TERM', 'CHILD']));
      expect(notes(host, 'stubborn.txt')).not.toContain('END');
      const { person } = await leftOf('in executing');
      expect(await msFromMessageToEnd(person.run.handle)).toBeGreaterThanOrEqual(3_000);
      await until(() => livingTurns(host.home).length === 0);
      const backOff = (await (await leftOf('in a back-off')).person.run.handle.fetchHistory()).events ?? [];
      expect(backOff.filter((event) => event.timerCanceledEventAttributes)).toHaveLength(1);
      expect(backOff.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'V-70: worktree, branch and artifacts stay',
    async () => {
      const { person } = await leftOf('in reviewing');
      const { worktree, branch, headSha, baseSha } = await person.run.view();

      expect(readFileSync(join(worktree ?? '', 'a.txt'), 'utf8')).toBe('one\nchanged\n');
      expect(person.repository.git('worktree', 'list', '--porcelain')).toContain(`branch refs/heads/${branch}`);
      expect(person.repository.git('rev-parse', branch ?? '').trim()).toBe(headSha);
      expect(headSha).not.toBe(baseSha);
      for (const name of ['plan.md', 'architecture.md', 'execution.log', 'validation.json']) {
        expect(existsSync(join(person.run.runDir, name))).toBe(true);
      }
    },
    LIMIT_MS,
  );

  it(
    'V-72, V-102: run.aborted, metrics, report and verdict are written, and the commands that are printed remove worktree and branch',
    async () => {
      const { person, told } = await leftOf('in executing');
      const { worktree, branch } = await person.run.view();

      expect(person.run.events().at(-1)).toMatchObject({
        type: 'run.aborted',
        data: { outcome: 'aborted', stage: 'executing' },
      });
      expect(JSON.parse(person.run.read('metrics.json'))).toMatchObject({ turns: 2, failedAttempts: 0 });
      const { verdict } = await person.result();
      expect(JSON.parse(person.run.read('assurance.json'))).toMatchObject({ verdict });
      expect(person.run.read('report.md')).toContain('aborted by grace: wrong task');
      const commands = told.split('\n').flatMap((line) => (line.trim().startsWith('git ') ? [line.trim()] : []));
      expect(commands).toEqual([`git worktree remove --force ${worktree}`, `git branch -D ${branch}`]);
      for (const command of commands)
        execFileSync('sh', ['-c', command], { cwd: person.repository.path, stdio: 'ignore' });
      expect(existsSync(worktree ?? '')).toBe(false);
      expect(person.repository.git('branch', '--list', 'sluice/*')).toBe('');
    },
    LIMIT_MS,
  );
});

/** What commands noted in the person's home. */
function notes(host: TestHost, name: string): readonly string[] {
  const file = noteFile(host, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function noteFile(host: TestHost, name: string): string {
  return join(host.env['HOME'] ?? '', name);
}
