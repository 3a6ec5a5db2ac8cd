/** What the tests of a file work with, opened before them and closed behind them. The answer stands for what is open just now. */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

interface Closable {
  close(): void | Promise<void>;
}

const LIMIT_MS = 120_000;

/** Once for all tests of the file, or of the block. */
export function openedOnce<T extends Closable>(open: () => T | Promise<T>): T {
  let opened: T | null = null;
  beforeAll(async () => {
    opened = await open();
  }, LIMIT_MS);
  afterAll(() => opened?.close(), LIMIT_MS);
  return standIn(() => opened);
}

/** Afresh for each test. */
export function openedForEach<T extends Closable>(open: () => T | Promise<T>): T {
  let opened: T | null = null;
  beforeEach(async () => {
    opened = await open();
  }, LIMIT_MS);
  afterEach(() => opened?.close(), LIMIT_MS);
  return standIn(() => opened);
}

function standIn<T extends Closable>(current: () => T | null): T {
  const get = (_none: object, name: string | symbol): unknown => {
    const opened = current();
    if (opened === null) throw new Error(`${String(name)} is asked for before anything is open`);
    return Reflect.get(opened, name);
  };
  // Each read is answered by one that is a T.
  return new Proxy({}, { get }) as T;
}
