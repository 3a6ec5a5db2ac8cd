import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { appendEvents, readEvents } from '../../../activities/journal/events-file.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { tempFolders } from '../../support/temp-folder.js';
import { anEvent, events, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();

function aPath(): string {
  return join(folder(), 'events.jsonl');
}

async function append(path: string, batch: readonly JournalEvent[], lastSeq = batch.at(-1)?.seq ?? 0): Promise<number> {
  return (await appendEvents(path, { events: batch, lastSeq }, { root: dirname(path), ...NO_FAIL })).seq;
}

async function seqs(path: string): Promise<unknown[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => (JSON.parse(line) as JournalEvent).seq);
}

describe('appendEvents', () => {
  it('writes each event on a line of its own and answers the last seq', async () => {
    const path = aPath();

    expect(await append(path, events(1, 3))).toBe(3);
    expect(await append(path, events(4, 5))).toBe(5);

    expect(await readEvents(path)).toEqual(events(1, 5));
  });

  it('appends only what is missing when a batch comes again or overlaps', async () => {
    const path = aPath();
    await append(path, events(1, 3));
    const before = await readFile(path, 'utf8');

    expect(await append(path, events(1, 3))).toBe(3);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await append(path, events(2, 6))).toBe(6);

    expect(await seqs(path)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true);
  });

  it('answers what it holds and writes nothing when a batch starts after a gap', async () => {
    const path = aPath();
    await append(path, events(1, 3));
    await rm(path);

    expect(await append(path, events(4, 5))).toBe(0);
    expect(await append(path, events(1, 5))).toBe(5);

    expect(await seqs(path)).toEqual([1, 2, 3, 4, 5]);
  });

  it('moves the tail that disagrees after a reset into a file of its own', async () => {
    const path = aPath();
    await append(path, events(1, 6));
    const old = (await readFile(path, 'utf8')).split('\n').slice(3).join('\n');
    const fresh = events(4, 5, { message: 'after the reset' });

    expect(await append(path, fresh)).toBe(5);

    expect(await readEvents(path)).toEqual([...events(1, 3), ...fresh]);
    expect(await readFile(join(dirname(path), 'events.1.jsonl'), 'utf8')).toBe(old);
    await append(path, events(5, 5, { message: 'again' }));
    expect((await readdir(dirname(path))).sort()).toEqual(['events.1.jsonl', 'events.2.jsonl', 'events.jsonl']);
  });

  it('answers no more than the sender knows, so that a reset run sends its own events', async () => {
    const path = aPath();
    await append(path, events(1, 6));

    expect(await append(path, [], 4)).toBe(4);
  });

  it('keeps a secret out of the file', async () => {
    const path = aPath();

    await append(path, [anEvent(1, { message: `ghp_${'a1'.repeat(18)}` })]);

    expect(await readFile(path, 'utf8')).toContain('[redacted:github-token]');
  });

  it('mends a cut at any byte with the next append', async () => {
    const path = aPath();
    await append(path, events(1, 5, { message: 'größe 🚀' }));
    const whole = await readFile(path);

    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (cut) => {
        await writeFile(path, whole.subarray(0, cut));
        const held = (await readEvents(path)).length;
        expect(await append(path, events(held + 1, 6, { message: 'größe 🚀' }))).toBe(6);
        expect(await readEvents(path)).toEqual(events(1, 6, { message: 'größe 🚀' }));
      }),
      { numRuns: 200 },
    );
    expect(await readdir(dirname(path))).toEqual(['events.jsonl']);
  });

  it('mends lines that two processes wrote at once, and loses nothing that a person wrote into the file', async () => {
    const path = aPath();
    await append(path, events(1, 3));
    const whole = await readFile(path, 'utf8');
    await writeFile(path, `${whole}${whole.split('\n').slice(1).join('\n')}`);

    expect(await append(path, events(4, 4))).toBe(4);
    expect(await seqs(path)).toEqual([1, 2, 3, 4]);
    expect(await readdir(dirname(path))).toEqual(['events.jsonl']);
    await writeFile(path, `${whole}a note\n`);
    expect(await append(path, events(4, 4))).toBe(4);
    expect(await readFile(join(dirname(path), 'events.1.jsonl'), 'utf8')).toBe('a note\n');
  });

  it('keeps what a person wrote without an end of line', async () => {
    const path = aPath();
    await append(path, events(1, 3));
    await writeFile(path, `${await readFile(path, 'utf8')}a note`);

    expect(await append(path, events(4, 4))).toBe(4);

    expect(await seqs(path)).toEqual([1, 2, 3, 4]);
    expect(await readFile(join(dirname(path), 'events.1.jsonl'), 'utf8')).toBe('a note');
  });

  it('does not double a line when many attempts append at once', async () => {
    const path = aPath();

    await Promise.all(Array.from({ length: 20 }, (_, n) => append(path, events(1, 1 + (n % 7)))));

    expect(await seqs(path)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('refuses a journal that is a symlink', async () => {
    const path = aPath();
    await writeFile(`${path}.target`, 'precious');
    await symlink(`${path}.target`, path);

    await expect(append(path, events(1, 1))).rejects.toThrow(/is a symlink/);
    expect(await readFile(`${path}.target`, 'utf8')).toBe('precious');
  });

  it('fires its failpoints around the write, and a failure at either is mended by a repeat', async () => {
    const path = aPath();
    for (const name of ['journal.before-append', 'journal.after-append'] satisfies FailpointName[]) {
      const failpoint = (at: FailpointName) => {
        if (at === name) throw new Error(at);
      };
      const options = { root: dirname(path), fsync: true, failpoint };
      await expect(appendEvents(path, { events: events(1, 2), lastSeq: 2 }, options)).rejects.toThrow(name);
      expect(await readEvents(path)).toHaveLength(name === 'journal.before-append' ? 0 : 2);
    }
    expect(await append(path, events(1, 2))).toBe(2);
    expect(await seqs(path)).toEqual([1, 2]);
  });

  it('has no torn and no doubled line after 30 kills of its writer', async () => {
    const path = aPath();
    for (let kill = 0; kill < 30; kill += 1) {
      const child = spawn(process.execPath, [join('test', 'unit', 'journal', 'append-loop.mjs'), path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      // Any moment will do: the delay only spreads the kills over the writer's steps.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
      child.kill('SIGKILL');
      await ended;
    }

    const held = (await readEvents(path)).length;
    await append(path, events(held + 1, held + 1));

    // Each writer said that its first one is held before it was killed.
    expect(held).toBeGreaterThanOrEqual(30);
    expect(await seqs(path)).toEqual(events(1, held + 1).map((event) => event.seq));
    expect(await readdir(dirname(path))).toEqual(['events.jsonl']);
  }, 300_000);
});
