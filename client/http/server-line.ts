/**
 * The connection of a web server to Temporal. It outlives the engine: what failed for another reason than the question makes the next question connect anew,
 * since an engine that was started again may be at another address.
 */
import { messageOf, nameOf } from '../../config/system/error-code.js';
import { RefusedError } from '../../protocol/text/refusal.js';
import type { Sluice } from '../sluice.js';

/** Null: the local engine is down. Errors: a server that is there and does not answer. */
export type Connect = () => Promise<Sluice | null>;

/** The server answered, and these are its answers. */
const ANSWERS = ['WorkflowNotFoundError', 'QueryNotRegisteredError', 'QueryRejectedError', 'WorkflowUpdateFailedError'];

/** Nobody was asked: there is nobody. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';

  constructor(
    message: string,
    readonly mend: string | null,
  ) {
    super(message);
  }
}

function awayBy(error: unknown): ServerAway {
  if (!(error instanceof RefusedError)) return new ServerAway(messageOf(error), null);
  const { what, why, mend } = error.parts;
  return new ServerAway(`${what}; ${why}`, mend);
}

interface Line {
  readonly sluice: Sluice;
  /** Questions under way. */
  asks: number;
  /** Nobody begins with it any more: it is closed once they are answered. */
  isOver: boolean;
}

export class ServerLine implements AsyncDisposable {
  private open: Promise<Line | null> | null = null;
  private isClosed = false;

  constructor(private readonly connect: Connect) {}

  /** Errors: ServerAway where nobody is there; those of `work`. */
  async ask<T>(work: (sluice: Sluice) => Promise<T>): Promise<T> {
    let line = await this.opened();
    // Given up, and perhaps closed, since it was looked at.
    while (line.isOver) line = await this.opened();
    line.asks += 1;
    try {
      return await work(line.sluice);
    } catch (error) {
      if (!ANSWERS.includes(nameOf(error))) this.leave(line);
      throw error;
    } finally {
      line.asks -= 1;
      if (line.isOver && line.asks === 0) await line.sluice.close().catch(() => {});
    }
  }

  /** Others may be in the middle of a question on it, or have connected anew meanwhile. */
  private leave(line: Line): void {
    if (!line.isOver) this.open = null;
    line.isOver = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    await this.drop();
  }

  private async opened(): Promise<Line> {
    if (this.isClosed) throw new ServerAway('this server ends', null);
    this.open ??= this.connect().then((sluice) => (sluice === null ? null : { sluice, asks: 0, isOver: false }));
    const line = await this.open.catch(async (error: unknown) => {
      await this.drop();
      throw awayBy(error);
    });
    if (line !== null) return line;
    await this.drop();
    throw new ServerAway('the local engine is down', 'sluice up');
  }

  private async drop(): Promise<void> {
    const { open } = this;
    this.open = null;
    const line = await open?.catch(() => null);
    await line?.sluice.close().catch(() => {});
  }
}
