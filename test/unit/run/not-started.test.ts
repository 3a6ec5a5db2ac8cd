/** Turns whose agent is not started, or needs no start: what they cost, where they leave the branch, and whether its program must be there. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CLAIM_FILE, EXIT_FILE } from '../../../activities/process/marks.js';
import { FAILURES } from '../../../protocol/failures.js';
import type { RunTurnInput } from '../../../protocol/messages/messages.js';
import { fixtureWith } from '../../support/test-repository.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

let host: RewindHost;
let program: string;

beforeAll(async () => {
  const bin = join(tempFolder(), 'bin');
  mkdirSync(bin);
  program = join(bin, 'own-agent');
  const config = `  own: {adapter: command, command: ${JSON.stringify(program)}}\nstages:\n  planning: {agent: own}\n`;
  host = await aRewindHost({ fixture: fixtureWith({ architecting: [{ text: 'Modules.' }] }), config });
});
beforeEach(() => writeFileSync(program, '#!/bin/sh\ncat > /dev/null\necho A plan.\n', { mode: 0o755 }));
afterAll(() => {
  host.close();
  removeFolders();
});

let runs = 0;

function aRun(): Promise<DrivenRun> {
  runs += 1;
  return host.start(`run-${runs}`);
}

const branchOf = ({ opened }: DrivenRun) => `refs/heads/${opened.branch}`;
const tip = (run: DrivenRun) => host.repository.git('rev-parse', branchOf(run)).trim();

/** The same files in a commit of a person's, on the run's branch. */
function commitByHand(run: DrivenRun): string {
  const theirs = host.repository.git('commit-tree', `${branchOf(run)}^{tree}`, '-p', tip(run), '-m', 'theirs').trim();
  host.repository.git('update-ref', branchOf(run), theirs);
  return theirs;
}

describe('a turn before which somebody else moved the branch', () => {
  it('uses nothing, since no agent was started', async () => {
    const run = await aRun();
    const theirs = commitByHand(run);

    expect(await run.runTurn(run.turnInput('architecting'))).toMatchObject({
      outcome: { kind: 'repository_changed' },
      started: false,
      costMicroUsd: 0,
      tokens: 0,
      head: theirs,
    });
  });

  it('does not put back what a person agreed to and then took off the branch again', async () => {
    const run = await aRun();
    const own = tip(run);
    run.head = commitByHand(run);
    host.repository.git('update-ref', branchOf(run), own);

    expect(await run.runTurn(run.turnInput('architecting'))).toMatchObject({
      outcome: { kind: 'repository_changed' },
      head: own,
    });
    expect(tip(run)).toBe(own);
  });
});

describe('an agent whose program is gone', () => {
  const folderOf = (run: DrivenRun, { place }: RunTurnInput) => {
    const turns = join(run.stateDir, 'turns');
    const name = readdirSync(turns).find((folder) => folder.startsWith(`${place.seq}-`));
    if (name === undefined) throw new Error(`no folder of turn ${place.seq}`);
    return join(turns, name);
  };

  /** Cut short once its agent has ended. The guard of these tests leaves no claim. */
  async function cutShort() {
    const run = await aRun();
    const input = run.turnInput('planning');
    host.armed = 'turn.after-exit';
    await expect(run.runTurn(input)).rejects.toThrow('killed at turn.after-exit');
    const folder = folderOf(run, input);
    writeFileSync(join(folder, CLAIM_FILE), '{}');
    rmSync(program);
    return { run, input, folder };
  }

  it('is judged all the same where it has ended', async () => {
    const { run, input } = await cutShort();

    expect(await run.runTurn(input)).toMatchObject({ outcome: { kind: 'done' }, exitCode: 0 });
  });

  it('is not started again where its start was lost, and the run says what is missing', async () => {
    const { run, input, folder } = await cutShort();
    rmSync(join(folder, EXIT_FILE));

    await expect(run.runTurn(input)).rejects.toMatchObject({
      type: FAILURES.BadAgent,
      message: expect.stringMatching(/the program of agent "own" cannot be run/),
    });
  });

  it('refuses a run that is to be opened, and none that was', async () => {
    const input = host.openInput('run-opened');
    host.armed = 'open.after-worktree';
    await expect(host.open(input)).rejects.toThrow('killed at open.after-worktree');
    rmSync(program);

    expect(await host.open(input)).toMatchObject({ setupError: null });
    await expect(host.open(host.openInput('run-refused'))).rejects.toMatchObject({ type: FAILURES.BadAgent });
  });
});
