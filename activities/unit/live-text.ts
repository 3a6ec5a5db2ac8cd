/**
 * What an agent says while it works, for whoever watches its turn: once a second what is new and final of it goes to `live.md` in the turn's folder. It is made of
 * the output alone, from its beginning, so that the attempt of another worker writes the same bytes. A view and nothing more: no turn fails by it.
 */
import { stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { wholeHead } from '../../config/system/cut-middle.js';
import { withForeignFile } from '../../config/system/foreign-file.js';
import { MAX_LIVE_BYTES } from '../../protocol/messages/live-text.js';
import type { StreamRedactor } from '../../protocol/text/redact.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import { type JsonEvent, JsonLines } from '../agent/events/read-json-lines.js';
import { SpokenText } from '../agent/events/spoken-text.js';
import type { LiveFile } from '../journal/live-file.js';
import type { CommandEnd } from '../process/contract.js';
import { lookingOn, type WatchedCommand } from './tell-work.js';

export interface WatchedTurn extends Pick<WatchedCommand, 'stdout' | 'glance'> {
  readonly redactor: Pick<Redactor, 'visible'>;
  readonly file: Pick<LiveFile, 'isThere' | 'write'>;
}

/** Unit: bytes. Of the output, from its beginning: what costs as much as this has said enough. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Unit: bytes of one read, after which others have their turn. */
const BLOCK_BYTES = 256 * 1024;

const REST_LEFT_OUT = Buffer.from('\n[the rest is left out here]\n');

/** Answers and throws what `work` does. `turn` null: nobody could watch. */
export async function tellingText(turn: WatchedTurn | null, work: () => Promise<CommandEnd>): Promise<CommandEnd> {
  if (turn === null) return work();
  const text = new LiveText(turn);
  const end = await lookingOn(() => text.again(), work);
  const isWhole = end.kind === 'ended' && end.exit.reason === 'exited' && end.exit.signal === null;
  await text.end(isWhole).catch(() => {});
  return end;
}

class LiveText {
  private said: SaidSoFar | null = null;
  private inode: number | null = null;
  private written = 0;

  constructor(private readonly turn: WatchedTurn) {}

  async again(): Promise<void> {
    const said = await this.read();
    if (said === null || said.bytes.length === this.written) return;
    this.turn.file.write(said.bytes, false);
    this.written = said.bytes.length;
  }

  /** A turn that took no second leaves no file; one whose file was left open by another attempt is told to its end. */
  async end(isWhole: boolean): Promise<void> {
    if (this.said === null && !this.turn.file.isThere) return;
    const said = await this.read();
    if (said === null) return;
    if (isWhole) said.end();
    if (said.bytes.length > 0) this.turn.file.write(said.bytes, isWhole);
  }

  /** Null: it has printed nothing yet. */
  private async read(): Promise<SaidSoFar | null> {
    const { stdout } = this.turn;
    const inode = (await stat(stdout).catch(() => null))?.ino ?? null;
    // Of an agent that was started again the output is another file.
    if (this.said === null || inode !== this.inode) {
      this.said = new SaidSoFar(this.turn);
      this.written = 0;
      this.inode = inode;
    }
    const { said } = this;
    await withForeignFile(stdout, {}, async (file) => {
      const end = Math.min(file.size, MAX_OUTPUT_BYTES);
      while (said.position < end && !said.isFull) {
        const block = await file.piece({ from: said.position, length: Math.min(BLOCK_BYTES, end - said.position) });
        // Its agent can cut it meanwhile, and the guard does so with one that is too large.
        if (block.length === 0) break;
        said.take(block);
      }
    });
    return said;
  }
}

/** All that is final of what an agent said, as the bytes of its file. */
class SaidSoFar {
  /** **Unit** bytes of the output. */
  position = 0;
  /** Nothing is added any more. */
  isFull = false;
  private room = Buffer.alloc(0);
  private used = 0;
  private readonly visible: StreamRedactor;
  private readonly words: Words;

  constructor({ redactor, glance }: Pick<WatchedTurn, 'redactor' | 'glance'>) {
    this.visible = redactor.visible();
    this.words = glance === null ? new StringDecoder('utf8') : new EventWords(glance);
  }

  get bytes(): Buffer {
    return this.room.subarray(0, this.used);
  }

  take(output: Buffer): void {
    this.position += output.length;
    this.add(this.visible.push(this.words.write(output)));
    if (this.position >= MAX_OUTPUT_BYTES) this.fill();
  }

  /** Of an output that is whole. */
  end(): void {
    if (this.isFull) return;
    this.add(this.visible.push(this.words.end()) + this.visible.end());
  }

  private add(text: string): void {
    if (text === '' || this.isFull) return;
    const left = MAX_LIVE_BYTES - REST_LEFT_OUT.length - this.used;
    const bytes = Buffer.from(text);
    this.put(bytes.length <= left ? bytes : Buffer.from(wholeHead(bytes.subarray(0, left))));
    if (bytes.length > left) this.fill();
  }

  private fill(): void {
    if (!this.isFull) this.put(REST_LEFT_OUT);
    this.isFull = true;
  }

  private put(bytes: Buffer): void {
    const end = this.used + bytes.length;
    if (end > this.room.length) {
      const room = Buffer.alloc(Math.max(end, 2 * this.room.length));
      room.set(this.bytes);
      this.room = room;
    }
    this.room.set(bytes, this.used);
    this.used = end;
  }
}

/** What a block of output says. */
type Words = Pick<StringDecoder, 'write' | 'end'>;

/** Of an agent that prints events. A tool call is a line. */
class EventWords {
  private readonly spoken = new SpokenText();
  private readonly lines = new JsonLines((event) => this.hear(event));
  private running: string | null = null;
  private heard = '';

  constructor(private readonly glance: NonNullable<WatchedCommand['glance']>) {}

  write(block: Buffer): string {
    this.lines.add(block);
    return this.takeHeard();
  }

  end(): string {
    this.lines.end();
    return this.takeHeard();
  }

  private takeHeard(): string {
    const { heard } = this;
    this.heard = '';
    return heard;
  }

  /** Some tell a command again while it works. */
  private hear(event: JsonEvent): void {
    const seen = this.glance(event);
    if (seen === null) return;
    this.heard += this.spoken.add(seen);
    if (seen.kind === 'command_ended') this.running = null;
    if (seen.kind !== 'command' || seen.command === this.running) return;
    this.heard += `$ ${seen.command}\n`;
    this.running = seen.command;
  }
}
