/**
 * The connection of a web server to Temporal. It outlives the engine: what failed for another reason than the question makes the next question connect anew,
 * since an engine that was started again may be at another address.
 */
import { messageOf, nameOf } from '../../config/system/error-code.js';
import type { Sluice } from '../sluice.js';

/** Null: the local engine is down. Errors: a server that is there and does not answer. */
export type Connect = () => Promise<Sluice | null>;

/** The server answered, and these are its answers. */
const ANSWERS = ['WorkflowNotFoundError', 'QueryNotRegisteredError', 'QueryRejectedError', 'WorkflowUpdateFailedError'];

/** Nobody was asked: there is nobody. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
}

export class ServerLine implements AsyncDisposable {
  private open: Promise<Sluice | null> | null = null;
  private isClosed = false;

  constructor(private readonly connect: Connect) {}

  /** Errors: ServerAway where nobody is there; those of `work`. */
  async ask<T>(work: (sluice: Sluice) => Promise<T>): Promise<T> {
    const sluice = await this.opened();
    const { open } = this;
    try {
      return await work(sluice);
    } catch (error) {
      // Somebody else may have connected anew meanwhile, and is in the middle of a question.
      if (!ANSWERS.includes(nameOf(error)) && open === this.open) await this.drop();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    await this.drop();
  }

  private async opened(): Promise<Sluice> {
    if (this.isClosed) throw new ServerAway('this server ends');
    this.open ??= this.connect();
    const sluice = await this.open.catch(async (error: unknown) => {
      await this.drop();
      throw new ServerAway(messageOf(error));
    });
    if (sluice !== null) return sluice;
    await this.drop();
    throw new ServerAway('the local engine is down');
  }

  private async drop(): Promise<void> {
    const { open } = this;
    this.open = null;
    await (await open?.catch(() => null))?.close().catch(() => {});
  }
}
