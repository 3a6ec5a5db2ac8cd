/** A worktree that lost what its set-up made is set up again before the next agent starts, whatever took it and whenever that was cut off. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

let host: RewindHost;
let run: DrivenRun;
/** Lies in the home of the person: one line for each set-up. */
let setUps: string;

const timesSetUp = () => readFileSync(setUps, 'utf8').trim().split('\n').length;
const inWorktree = (name: string) => existsSync(join(run.opened.worktree, name));

beforeEach(async () => {
  host = await aRewindHost({
    files: { '.gitignore': 'packages\n' },
    // The agent ends badly where the set-up is missing.
    fixture: fixtureWith({
      executing: { run: 'test -e packages/one', append: { 'a.txt': 'changed\n' }, text: 'Done.' },
    }),
    config:
      'worktree:\n  setup: ["echo x >> $HOME/set-ups; test ! -e $HOME/broken && mkdir -p packages && touch packages/one"]\n',
  });
  run = await host.start('run-1');
  setUps = join(host.deps.environment['HOME'] ?? '', 'set-ups');
});

afterEach(() => host.close());

describe('a run that a reset opens again after its end', () => {
  it('has its packages again before its agent starts, once', async () => {
    const { head } = run;
    expect(inWorktree('packages/one')).toBe(true);
    await run.close('blocked');
    expect(inWorktree('packages')).toBe(false);
    run.resetTo(2, head);

    expect(await run.turn('executing')).toMatchObject({ outcome: { kind: 'done' } });
    expect(inWorktree('packages/one')).toBe(true);
    expect(timesSetUp()).toBe(2);
    await run.runTurn(run.turnInput('executing', { round: 1 }));
    expect(timesSetUp()).toBe(2);
  });
});

describe('a set-up that fails after the worktree was lost', () => {
  it('is taken again by the next attempt, and no agent starts without it', async () => {
    rmSync(run.opened.worktree, { recursive: true });
    const broken = join(host.deps.environment['HOME'] ?? '', 'broken');
    writeFileSync(broken, '');

    expect(await run.turn('executing')).toMatchObject({
      outcome: { kind: 'hard', why: expect.stringContaining('set-up command') },
    });
    rmSync(broken);

    expect(await run.turn('executing')).toMatchObject({ outcome: { kind: 'done' } });
    expect(inWorktree('packages/one')).toBe(true);
  });
});

describe('a run whose end is cut off', () => {
  it('gives its room back when it is closed once more', async () => {
    host.armed = 'close.after-report';
    await expect(run.close('blocked')).rejects.toThrow('killed at close.after-report');
    expect(inWorktree('packages')).toBe(true);

    await run.close('blocked');

    expect(inWorktree('packages')).toBe(false);
  });
});
