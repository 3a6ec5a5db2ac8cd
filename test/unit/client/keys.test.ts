import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type Key, type KeySource, listenToKeys } from '../../../client/cli/terminal/keys.js';

class FakeStdin extends EventEmitter {
  raw = false;
  flowing = false;
  setRawMode = (raw: boolean) => {
    this.raw = raw;
    return this;
  };
  setEncoding = () => this;
  resume = () => {
    this.flowing = true;
    return this;
  };
  pause = () => {
    this.flowing = false;
    return this;
  };
}

function listen() {
  const stdin = new FakeStdin();
  const keys: Key[] = [];
  let interrupted = 0;
  const off = listenToKeys(
    stdin as unknown as KeySource, // A terminal has many more methods; these are the ones that are called.
    (key) => keys.push(key),
    () => {
      interrupted += 1;
    },
  );
  return { stdin, keys, off, type: (chunk: string) => stdin.emit('data', chunk), interrupted: () => interrupted };
}

describe('the keyboard', () => {
  it('is read key by key, and Ctrl+C still stops', () => {
    const { stdin, keys, type, interrupted } = listen();

    type('a');
    type('\u0003');

    expect(stdin.raw).toBe(true);
    expect(keys).toEqual([{ kind: 'text', text: 'a' }]);
    expect(interrupted()).toBe(1);
  });

  it('is given back as it was', () => {
    const { stdin, keys, off, type } = listen();

    off();
    type('a');

    expect(stdin).toMatchObject({ raw: false, flowing: false });
    expect(keys).toEqual([]);
  });

  it('turns a paste into one text on one line, without control characters', () => {
    const { keys, type } = listen();

    type('first\r\nsecond\u0007 line\r');

    expect(keys).toEqual([{ kind: 'text', text: 'first second line' }, { kind: 'enter' }]);
  });
});
