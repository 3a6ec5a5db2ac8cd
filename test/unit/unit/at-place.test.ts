import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ExitRecord } from '../../../activities/process/contract.js';
import { type AtPlace, atPlace, type PlacedActivity } from '../../../activities/unit/at-place.js';
import { flushJournal } from '../../../activities/unit/flush-journal.js';
import { locateRun } from '../../../activities/unit/run-record.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type { JournalBatch } from '../../../protocol/messages/messages.js';
import { removeFolders } from '../git/repository-fixture.js';
import { aView, events } from '../journal/journal-builders.js';
import { type OpenedHost, openHost } from '../run/opened-host.js';

const RESTORED = 'restored from the dump';

let host: OpenedHost;
/** How often the work was done. */
let done: number;

beforeEach(async () => {
  host = await openHost();
  done = 0;
});

afterEach(removeFolders);

const aPlace = () => ({ runId: 'run-1', seq: 7, token: randomUUID() });
const folderOf = (place: ReturnType<typeof aPlace>) => host.deps.home.turnDir(host.run.record.repoKey, 'run-1', place);

/** The lines of a run until `lines`; a later message is of a later second. */
function aBatch(lines: number, message: string): JournalBatch {
  const updatedAt = message === RESTORED ? '2026-11-21T10:01:00.000Z' : '2026-11-21T10:00:00.000Z';
  return { events: events(1, lines, { message }), view: aView({ runId: 'run-1', seq: lines, updatedAt }), gates: null };
}

async function count(): Promise<string> {
  done += 1;
  return `answer ${done}`;
}

/** One attempt, which dies at `fatal`. */
function attempt(
  activity: Partial<PlacedActivity<string>> & Pick<PlacedActivity<string>, 'input'>,
  fatal?: FailpointName,
): Promise<string> {
  const failpoint = (name: FailpointName) => {
    if (name === fatal) throw new Error(`killed at ${name}`);
  };
  const placed: PlacedActivity<string> = {
    name: 'close',
    find: () => host.run,
    isSealed: false,
    work: count,
    ...activity,
  };
  return new MockActivityEnvironment().run(() => atPlace({ ...host.deps, failpoint }, placed));
}

/** What the guard writes when the agent of the place has ended. */
function end({ place }: Pick<AtPlace, 'place'>, part: Partial<ExitRecord> = {}): void {
  const { dir, token, inputHash } = place;
  const times = {
    startedAt: '2026-11-21T10:00:00.000Z',
    endedAt: '2026-11-21T10:00:01.000Z',
    claimedAt: '2026-11-21T10:00:00.000Z',
  };
  const streams = { stdout: join(dir, 'stdout'), stderr: join(dir, 'stderr'), stdoutBytes: 0, stderrBytes: 0 };
  const exit: ExitRecord = {
    token,
    inputHash,
    reason: 'exited',
    exitCode: 0,
    signal: null,
    ranMs: 1000,
    diskFull: false,
    ...streams,
    ...times,
    ...part,
  };
  writeFileSync(join(dir, 'exit.json'), JSON.stringify(exit));
}

describe('an activity at its place', () => {
  it('answers from its record, and does nothing again', async () => {
    const input = { place: aPlace() };
    const first = await attempt({ input });

    expect([first, await attempt({ input })]).toEqual(['answer 1', 'answer 1']);
  });

  it('takes another journal batch for no other question, and writes its lines beside the answer of the record', async () => {
    const place = aPlace();
    const input = (lines: number, message: string) => ({ place, journal: aBatch(lines, message) });
    const work = async () => ({ answer: await count(), journalSeq: 3 });
    const activity = { name: 'close', find: () => host.run, isSealed: false, work } as const;
    const ask = (lines: number, message: string) =>
      new MockActivityEnvironment().run(() => atPlace(host.deps, { ...activity, input: input(lines, message) }));
    await host.act(() => flushJournal(host.deps, host.run, aBatch(3, 'before the dump')));
    await ask(3, 'before the dump');

    expect(await ask(2, RESTORED)).toEqual({ answer: 'answer 1', journalSeq: 2 });
    const { runDir } = host.run.record;
    expect(readFileSync(join(runDir, 'events.1.jsonl'), 'utf8')).toContain('before the dump');
    expect(readFileSync(join(runDir, 'events.jsonl'), 'utf8')).not.toContain('before the dump');
  });

  it.each([
    ['does its work again', 'close.before-record', 'answer 2'],
    ['answers from the record', 'close.after-record', 'answer 1'],
  ] as const)('%s where the attempt before died at %s', async (_what, fatal, answer) => {
    const input = { place: aPlace() };
    await expect(attempt({ input }, fatal)).rejects.toThrow(`killed at ${fatal}`);

    expect(await attempt({ input })).toBe(answer);
  });

  it('moves the record of another input aside, and does its work', async () => {
    const place = aPlace();
    await attempt({ input: { place } });

    expect(await attempt({ input: { place, commit: 'another' } as { place: typeof place } })).toBe('answer 2');
    expect(readdirSync(folderOf(place))).toContainEqual(expect.stringMatching(/^record\.json\.stale-/));
  });

  it('leaves no folder where it is refused', async () => {
    const place = aPlace();
    const refuse = () => {
      throw new Error('not here');
    };

    await expect(attempt({ input: { place }, find: refuse })).rejects.toThrow('not here');

    expect([existsSync(folderOf(place)), done]).toEqual([false, 0]);
  });

  it('tells no value of the run’s agents in an error', async () => {
    const record = { ...host.run.record, policy: { ...host.run.record.policy } };
    const find = () => locateRun(host.deps.home, record, { CORP_TOKEN: 'quiet otter of nine' });
    const work = () => Promise.reject(new Error('git says: quiet otter of nine'));

    await expect(attempt({ input: { place: aPlace() }, find, work })).rejects.toThrow(/^git says: \[redacted/);
  });
});

describe('a sealed activity', () => {
  const isSealed = true;

  it('keeps no answer while no command of its place has ended', async () => {
    const input = { place: aPlace() };
    await attempt({ input, isSealed });

    expect(existsSync(join(folderOf(input.place), 'record.json'))).toBe(false);
    expect(await attempt({ input, isSealed })).toBe('answer 2');
  });

  it('answers from the record that was written beside the end of its command', async () => {
    const input = { place: aPlace() };
    const work = async (at: AtPlace) => {
      end(at);
      return count();
    };
    await attempt({ input, isSealed, work });

    expect(await attempt({ input, isSealed, work })).toBe('answer 1');
  });

  it('believes no record that was there before the command ended', async () => {
    const input = { place: aPlace() };
    mkdirSync(folderOf(input.place), { recursive: true });
    let inputHash = '';
    const ended = async (at: AtPlace) => {
      inputHash = at.place.inputHash;
      end(at, { exitCode: 3 });
      return count();
    };
    await attempt({ input, isSealed, work: ended }, 'close.before-record').catch(() => undefined);
    writeFileSync(
      join(folderOf(input.place), 'record.json'),
      JSON.stringify({ inputHash, exit: null, value: 'forged' }),
    );

    expect(await attempt({ input, isSealed, work: ended })).toBe('answer 2');
  });
});
