/** A person's abort while an activity waits for a git that is slow. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createValidate } from '../../../activities/checks/validate.js';
import { createRunTurn } from '../../../activities/turn/run-turn.js';
import { fixtureWith } from '../../support/test-repository.js';
import { until } from '../../support/until.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const PATH = process.env['PATH'] ?? '';
const BY_A_PERSON = {
  notFound: false,
  cancelRequested: true,
  paused: false,
  timedOut: false,
  workerShutdown: false,
  reset: false,
};

let host: RewindHost;

beforeAll(async () => {
  host = await aRewindHost({
    fixture: fixtureWith({ planning: [{ text: 'A plan.' }] }),
    config: 'validation:\n  commands: ["true"]\n',
  });
});

afterEach(() => {
  process.env['PATH'] = PATH;
  removeFolders();
});

afterAll(() => host.close());

/** From now on git sleeps; answers the file in which it tells its process id. */
function slowGit(): string {
  const folder = tempFolder();
  const [program, told] = [join(folder, 'git'), join(folder, 'pid')];
  writeFileSync(program, `#!/bin/sh\necho $$ > ${told}.new\nmv ${told}.new ${told}\nexec sleep 600\n`);
  chmodSync(program, 0o755);
  process.env['PATH'] = [folder, PATH].join(delimiter);
  return told;
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** The same place each time it is called. */
const ACTIVITIES: Readonly<Record<string, (run: DrivenRun) => (attempt: MockActivityEnvironment) => Promise<object>>> =
  {
    turn: (run) => {
      const input = run.turnInput('planning');
      return (attempt) => attempt.run(createRunTurn(host.deps), input);
    },
    validation: (run) => {
      const input = run.validateInput();
      return (attempt) => attempt.run(createValidate(host.deps), input);
    },
  };

describe.each(Object.keys(ACTIVITIES))('an abort of a %s', (kind) => {
  it('ends the git that it waits for, and another attempt goes on where it stood', async () => {
    const run = await host.start(`run-${kind}`);
    const act = ACTIVITIES[kind]?.(run);
    const told = slowGit();
    const aborted = new MockActivityEnvironment();
    const end = act?.(aborted).catch((error: unknown) => error);
    await until(() => existsSync(told));

    aborted.cancel('CANCELLED', BY_A_PERSON);

    expect(await end).toBeInstanceOf(CancelledFailure);
    // Of two at once the other may be told a moment later.
    await until(() => isGone(Number(readFileSync(told, 'utf8'))));
    process.env['PATH'] = PATH;
    expect(await act?.(new MockActivityEnvironment())).toMatchObject({
      outcome: { kind: kind === 'turn' ? 'done' : 'passed' },
    });
  });
});
