import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FileFollower, followFiles } from '../../../client/look/follow-files.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';

const line = (seq: number, message = `event ${seq}`) =>
  `${JSON.stringify({ seq, timestamp: '2026-11-21T10:00:00.000Z', type: 'run.created', message, data: {} })}\n`;

describe('following the files of a run', () => {
  let folder: string;
  let runDir: string;
  let follower: FileFollower | null = null;
  let events: JournalEvent[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-follow-'));
    runDir = join(folder, 'runs', 'r1');
    events = [];
  });

  afterEach(async () => {
    follower?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const follow = () => followFiles(runDir, { event: (event) => events.push(event), view: () => {}, work: () => {} });
  const seqs = () => events.map(({ seq }) => seq);

  it('tells each event once, in order, however often it looks', async () => {
    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), line(1) + line(2));
    follower = follow();

    await follower.readNow();
    await appendFile(join(runDir, 'events.jsonl'), line(3));
    await Promise.all([follower.readNow(), follower.readNow()]);

    expect(seqs()).toEqual([1, 2, 3]);
  });

  it('holds a torn last line back until it is whole', async () => {
    await mkdir(runDir, { recursive: true });
    const whole = line(1, 'a sentence with é and 漢');
    const bytes = Buffer.from(whole);
    await writeFile(join(runDir, 'events.jsonl'), bytes.subarray(0, bytes.length - 8));
    follower = follow();

    await follower.readNow();
    const before = seqs();
    await appendFile(join(runDir, 'events.jsonl'), bytes.subarray(bytes.length - 8));
    await follower.readNow();

    expect(before).toEqual([]);
    expect(events.map(({ message }) => message)).toEqual(['a sentence with é and 漢']);
  });

  it('tells what stands behind hundreds of thousands of empty lines', async () => {
    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), '\n'.repeat(300_000) + line(1));
    follower = follow();

    await follower.readNow();

    expect(seqs()).toEqual([1]);
  });

  it('tells only the lines that differ after a reset of the run', async () => {
    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), line(1) + line(2) + line(3));
    follower = follow();
    await follower.readNow();

    await writeFile(join(runDir, 'events.jsonl'), line(1) + line(2, 'again'));
    await follower.readNow();

    expect(events.map(({ message }) => message)).toEqual(['event 1', 'event 2', 'event 3', 'again']);
  });

  it.each([
    ['the file grew past its former end meanwhile', [3]],
    ['the last line is as long as the one that was told', []],
  ])('tells the lines that differ after a reset where %s', async (_, more) => {
    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), line(1) + line(2));
    follower = follow();
    await follower.readNow();

    const later = more.map((seq) => line(seq)).join('');
    await writeFile(join(runDir, 'events.jsonl'), line(1) + line(2, 'again 2') + later);
    await follower.readNow();
    await follower.readNow();

    const told = ['event 1', 'event 2', 'again 2', ...more.map((seq) => `event ${seq}`)];
    expect(events.map(({ message }) => message)).toEqual(told);
  });

  it('finds a folder that is made after it began, by itself', async () => {
    const seen = new Promise<void>((resolve) => {
      follower = followFiles(runDir, { event: () => resolve(), view: () => {}, work: () => {} });
    });

    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), line(1));

    await expect(seen).resolves.toBeUndefined();
  });

  it('skips lines that are no events', async () => {
    await mkdir(runDir, { recursive: true });
    await writeFile(join(runDir, 'events.jsonl'), `garbage\n[1]\n{"seq":"x"}\n${line(1)}`);
    follower = follow();

    await follower.readNow();

    expect(seqs()).toEqual([1]);
  });
});
