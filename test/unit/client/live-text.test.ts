/** The live text of a turn is followed from any position, each byte once, and nothing that somebody planted is read. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { followTurn } from '../../../client/cli/watch/follow-turn.js';
import type { FolderFollower } from '../../../client/look/follow-folder.js';
import { followLiveText, LIVE_START, type LivePosition } from '../../../client/look/live-text.js';
import { MAX_LIVE_BYTES } from '../../../protocol/messages/live-text.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const freshFolder = tempFolders();

const followers: FolderFollower[] = [];

afterEach(() => {
  for (const follower of followers.splice(0)) follower.close();
});

function follow(dir: string, from: LivePosition = LIVE_START) {
  const told: { text: string; next: LivePosition }[] = [];
  const follower = followLiveText(dir, from, (text, next) => told.push({ text, next }));
  followers.push(follower);
  return { told, readNow: follower.readNow, text: () => told.map(({ text }) => text).join('') };
}

describe('a follower of live text', () => {
  it('tells what is added, each byte once, and a character when all of it is there', async () => {
    const dir = freshFolder();
    const bytes = Buffer.from('one €🚀 größe');
    writeFileSync(join(dir, 'live.md'), '');
    const followed = follow(dir);
    for (const byte of bytes) {
      appendFileSync(join(dir, 'live.md'), Buffer.from([byte]));
      await followed.readNow();
    }

    expect(followed.text()).toBe('one €🚀 größe');
    expect(followed.told.at(-1)?.next).toEqual({ file: 1, byte: bytes.length });
  });

  it('goes on from each position that it told', async () => {
    const dir = freshFolder();
    writeFileSync(join(dir, 'live.md'), 'foreign, ');
    writeFileSync(join(dir, 'live.2.md'), 'one ');
    const first = follow(dir);
    await first.readNow();
    appendFileSync(join(dir, 'live.2.md'), 'two');
    await first.readNow();
    expect(first.text()).toBe('foreign, one two');

    const again = await Promise.all(
      first.told.map(async ({ next }) => {
        const followed = follow(dir, next);
        await followed.readNow();
        return followed.text();
      }),
    );
    expect(again).toEqual(['one two', 'two', '']);
  });

  it('sees by itself what comes, and a folder that was not there', async () => {
    const dir = join(freshFolder(), 'turns', '1-planning');
    const followed = follow(dir);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'live.md'), 'one');

    await until(() => followed.text() === 'one');
  });

  it('tells nothing twice where a file was cut and written again', async () => {
    const dir = freshFolder();
    writeFileSync(join(dir, 'live.md'), 'one two');
    const followed = follow(dir);
    await followed.readNow();
    writeFileSync(join(dir, 'live.md'), 'one');
    await followed.readNow();
    writeFileSync(join(dir, 'live.md'), 'one two three');
    await followed.readNow();

    expect(followed.text()).toBe('one two three');
  });

  it.each([
    ['a symlink', (path: string, victim: string) => symlinkSync(victim, path)],
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('does not read %s, and goes on with the next file', async (_, plant) => {
    const dir = freshFolder();
    const victim = join(freshFolder(), 'victim');
    writeFileSync(victim, 'of the person');
    plant(join(dir, 'live.md'), victim);
    const followed = follow(dir);
    await followed.readNow();
    const before = followed.text();
    writeFileSync(join(dir, 'live.2.md'), 'one');
    await followed.readNow();

    expect([before, followed.text()]).toEqual(['', 'one']);
  });

  it('reads no more of a file than the engine writes, and nothing beyond its end', async () => {
    const dir = freshFolder();
    writeFileSync(join(dir, 'live.md'), Buffer.alloc(3 * MAX_LIVE_BYTES, 'x'));
    const followed = follow(dir);
    const beyond = follow(dir, { file: 1, byte: 7 * MAX_LIVE_BYTES });
    const last = follow(dir, { file: 9, byte: 0 });
    await Promise.all([followed.readNow(), beyond.readNow(), last.readNow()]);

    expect([followed.text().length, beyond.text(), last.text()]).toEqual([MAX_LIVE_BYTES, '', '']);
  });
});

describe('who follows a turn', () => {
  function place() {
    const runDir = freshFolder();
    const turnDir = join(runDir, 'turns', '3-executing');
    let text = '';
    let waited = 0;
    const stop = new AbortController();
    const followed = (turn = '3') =>
      followTurn({
        runDir,
        turn,
        stop: stop.signal,
        onText: (more) => void (text += more),
        waits: () => void (waited += 1),
      });
    const end = () => {
      for (const file of ['output.md', 'turn.json']) writeFileSync(join(turnDir, file), '{}');
    };
    return { runDir, turnDir, stop, followed, end, text: () => text, waited: () => waited };
  }

  it('hears all of it, from before it begins until it has ended', async () => {
    const { turnDir, followed, end, text, waited } = place();
    const following = followed();
    await until(() => waited() === 1);
    mkdirSync(turnDir, { recursive: true });
    writeFileSync(join(turnDir, 'live.md'), 'one ');
    await until(() => text() === 'one ');
    appendFileSync(join(turnDir, 'live.md'), 'two');
    end();

    expect([await following, text()]).toEqual(['ended', 'one two']);
  });

  it('hears nothing of one that had ended', async () => {
    const { turnDir, followed, end, text } = place();
    mkdirSync(turnDir, { recursive: true });
    writeFileSync(join(turnDir, 'live.md'), 'one');
    end();

    expect([await followed(), text()]).toEqual(['ended', '']);
  });

  it('is let go by a stop, before and while it works', async () => {
    const before = place();
    const waiting = before.followed('7');
    await until(() => before.waited() === 1);
    before.stop.abort();
    const during = place();
    mkdirSync(during.turnDir, { recursive: true });
    const following = during.followed();
    during.stop.abort();

    expect([await waiting, await following]).toEqual(['detached', 'detached']);
    rmSync(during.turnDir, { recursive: true });
  });
});
