/** Files of the run directory after any damage: cuts at any byte, garbage, two writers at once, killed writers. The next write makes them whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { appendEvents, readEvents } from '../../../activities/journal/events-file.js';
import { sweepTemporaries, writeFileAtomic } from '../../../activities/journal/write-file.js';
import { tempFolders } from '../../support/temp-folder.js';
import { events, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();

const WORDS = { message: 'größe 🚀 "quoted" \\ back' };
const HELD = 5;
const ALL = events(1, HELD + 1, WORDS);

async function renderedEvents(): Promise<Buffer> {
  const path = join(folder(), 'events.jsonl');
  await appendEvents(path, { events: ALL.slice(0, HELD), lastSeq: HELD }, { root: dirname(path), ...NO_FAIL });
  return readFileSync(path);
}

/** As the workflow does it: it offers what it believes is missing, and then what the answer says. `from`: 1 after a reset, else the newest alone. */
async function bringUpToDate(path: string, from: number): Promise<void> {
  for (let next = from, tries = 0; next <= HELD + 1 && tries < 3; tries += 1) {
    const batch = { events: ALL.slice(next - 1), lastSeq: HELD + 1 };
    next = (await appendEvents(path, batch, { root: dirname(path), ...NO_FAIL })).seq + 1;
  }
}

/** All that lies beside the journal. */
function keptTails(path: string): readonly Buffer[] {
  return readdirSync(dirname(path))
    .filter((name) => /^events\.\d+\.jsonl$/.test(name))
    .map((name) => readFileSync(join(dirname(path), name)));
}

/** As bytes in Latin-1, so that no byte is lost; without the torn beginning of a line of ours. */
function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('latin1').split('\n');
  const last = lines.at(-1) ?? '';
  return last.startsWith('{"seq":') || '{"seq":'.startsWith(last) ? lines.slice(0, -1) : lines;
}

async function expectMended(damaged: Buffer, from: number): Promise<void> {
  const path = join(folder(), 'events.jsonl');
  writeFileSync(path, damaged);

  await bringUpToDate(path, from);

  expect(await readEvents(path)).toEqual(ALL);
  const lines = linesOf(readFileSync(path));
  expect(lines).toHaveLength(HELD + 1);
  const kept = keptTails(path).flatMap(linesOf);
  expect(linesOf(damaged).filter((line) => line !== '' && !lines.includes(line) && !kept.includes(line))).toEqual([]);
}

const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      '\n',
      '\n\n\n',
      'a note\n',
      'null\n',
      '{}\n',
      '{"seq":6}\n',
      '\0'.repeat(64),
      '\r\n',
      '\ufeff',
      '[',
      '\ud800',
    )
    .map((text) => Buffer.from(text)),
);
const from = fc.constantFrom(1, HELD + 1);

describe('events.jsonl', () => {
  it('is mended after a cut at any byte and any garbage behind it; no line that somebody wrote is lost', async () => {
    const whole = await renderedEvents();

    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), garbage, from, async (cut, tail, first) => {
        await expectMended(Buffer.concat([whole.subarray(0, cut), tail]), first);
      }),
      { numRuns: 150 },
    );
  });

  it('is mended after garbage anywhere in it, and after any bytes that were overwritten', async () => {
    const whole = await renderedEvents();

    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(60), garbage, async (at, removed, put) => {
        // All events are sent: of a line that is still an event nothing but its own words tells that they were changed.
        await expectMended(Buffer.concat([whole.subarray(0, at), put, whole.subarray(at + removed)]), 1);
      }),
      { numRuns: 150 },
    );
  });

  it('is mended after two writers whose bytes lie among each other in any way', async () => {
    const whole = await renderedEvents();
    const starts = [0, ...[...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)];

    await fc.assert(
      fc.asyncProperty(
        fc.nat(HELD - 1),
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 400 })), { maxLength: 30 }),
        async (held, turns) => {
          const start = starts[held] ?? 0;
          // All events are sent here too: a byte of the other writer can fall into a text and leave the line an event.
          await expectMended(Buffer.concat([whole.subarray(0, start), interleaved(whole.subarray(start), turns)]), 1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is mended after lines that stand twice, in another order, or not at all', async () => {
    const whole = await renderedEvents();
    const lines = whole.toString('utf8').split('\n').slice(0, -1);

    await fc.assert(
      fc.asyncProperty(
        fc.nat(HELD),
        fc.array(fc.nat(HELD - 1), { maxLength: 10 }),
        from,
        async (held, order, first) => {
          const written = [...lines.slice(0, held), ...order.map((index) => lines[index] ?? '')];
          await expectMended(Buffer.from(written.map((line) => `${line}\n`).join('')), first);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('keeps a tail once, although the writer died before it could cut the file', async () => {
    const whole = await renderedEvents();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), garbage, async (deaths, tail) => {
        const path = join(folder(), 'events.jsonl');
        const damaged = Buffer.concat([whole, tail]);
        writeFileSync(path, damaged);
        await bringUpToDate(path, HELD + 1);
        const kept = keptTails(path);
        for (let n = 0; n < deaths; n += 1) {
          writeFileSync(path, damaged);
          await bringUpToDate(path, HELD + 1);
        }

        expect(keptTails(path)).toEqual(kept);
        expect(kept.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});

/** The bytes of two writers of the same text, taken from the one and the other in turns. */
function interleaved(text: Buffer, turns: readonly (readonly [boolean, number])[]): Buffer {
  const pieces: Buffer[] = [];
  const at = { first: 0, second: 0 };
  for (const [isFirst, bytes] of [...turns, [true, text.length], [false, text.length]] as const) {
    const who = isFirst ? 'first' : 'second';
    pieces.push(text.subarray(at[who], at[who] + bytes));
    at[who] = Math.min(text.length, at[who] + bytes);
  }
  return Buffer.concat(pieces);
}

describe('a file that is replaced', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((drawn) => Buffer.from(drawn));

  it('holds the old content or the new one, whatever writers that were killed between temp file and rename left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { maxLength: 4 }),
        fc.array(bytes, { minLength: 1, maxLength: 4 }),
        async (left, contents) => {
          const root = folder();
          const path = join(root, 'state.json');
          for (const [n, rest] of left.entries()) writeFileSync(join(root, `.state.json.${n}.sluice-tmp`), rest);
          for (const content of contents) {
            await writeFileAtomic(path, content, { root, fsync: false });
            expect(readFileSync(path)).toEqual(content);
          }
          expect(readdirSync(root)).toHaveLength(left.length + 1);
          await sweepTemporaries(root);

          expect(readdirSync(root)).toEqual(['state.json']);
          expect(readFileSync(path)).toEqual(contents.at(-1));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is whole at every moment and after every kill of its writer', async () => {
    const path = join(folder(), 'state.json');
    let [reads, newest] = [0, 0];
    for (let kill = 0; kill < 5; kill += 1) {
      const child = spawn(process.execPath, [join('test', 'unit', 'journal', 'write-loop.mjs'), path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      for (let look = 0; look < 50; look += 1) {
        const { n, end, rest } = JSON.parse(readFileSync(path, 'utf8')) as { n: number; end: number; rest: string };
        expect([end, rest.length]).toEqual([n, (n * 997) % 100_000]);
        newest = Math.max(newest, n);
        reads += 1;
      }
      child.kill('SIGKILL');
      await ended;
      expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveProperty('end');
    }

    expect(reads).toBe(250);
    expect(newest).toBeGreaterThanOrEqual(20);
  }, 300_000);
});
