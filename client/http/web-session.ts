/**
 * Who may use a web server: who typed the code that it printed in its person's terminal. A code is taken once, within a minute, for a key that lives as
 * long as this object. Neither is written anywhere: of both only hashes are kept, in memory.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** **Unit** ms. */
const CODE_LIVES_MS = 60_000;

/** **Unit** bytes. */
const SECRET_BYTES = 16;

/** More browsers one person has not; the oldest key goes. */
const MAX_KEYS = 64;

export class WebSession {
  private code: { readonly hash: Buffer; readonly until: number } | null = null;
  private readonly keys: Buffer[] = [];

  /** `now`: ms of any clock that is not set back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The code before it is worth nothing any more. */
  newCode(): string {
    const code = randomBytes(SECRET_BYTES).toString('base64url');
    this.code = { hash: hashOf(code), until: this.now() + CODE_LIVES_MS };
    return code;
  }

  /** Null: it is not the code, was taken already, or came too late. */
  tradeCode(said: string): string | null {
    const { code } = this;
    if (code === null || this.now() > code.until || !timingSafeEqual(code.hash, hashOf(said))) return null;
    this.code = null;
    const key = randomBytes(SECRET_BYTES).toString('base64url');
    this.keys.push(hashOf(key));
    if (this.keys.length > MAX_KEYS) this.keys.shift();
    return key;
  }

  isKey(said: string): boolean {
    const hash = hashOf(said);
    return this.keys.some((known) => timingSafeEqual(known, hash));
  }
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
