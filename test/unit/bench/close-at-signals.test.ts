/** What the bench opened is closed by whatever ends it. The signals go to a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { closeAtSignals } from '../../../bench/close-at-signals.js';

const MODULE = pathToFileURL('bench/close-at-signals.ts').href;

/** Two are open, a third one comes while they are closed, and the program goes on with what it has no more. */
const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises';
import { closeAtSignals } from ${JSON.stringify(MODULE)};
const open = (name) => closeAtSignals(async () => {
  console.log('closing ' + name);
  if (name === 'first') open('third');
  await delay(200);
  console.log('closed ' + name);
  if (name === 'second') throw new Error('second failed');
});
const broken = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
  broken.abort();
  setTimeout(() => { throw new Error('it was closed'); }, 20);
});
const closeFirst = open('first');
open('second');
console.log('open');
try {
  await delay(60_000, undefined, { signal: broken.signal });
} finally {
  await closeFirst();
  console.log('heard of it');
}
`;

async function endedBy(...signals: readonly NodeJS.Signals[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, failed] = ['', ''];
  child.stderr.on('data', (piece) => (failed += String(piece)));
  child.stdout.on('data', (piece) => {
    said += String(piece);
    if (String(piece).includes('open\n')) for (const signal of signals) child.kill(signal);
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, said: said.trim().split('\n'), failed };
}

describe('what is closed at signals', () => {
  it.each([['SIGINT'], ['SIGTERM'], ['SIGHUP'], ['SIGHUP', 'SIGINT']] as const)(
    'is all that is open, once, and then the program ends: %s',
    async (...signals) => {
      const { code, said, failed } = await endedBy(...signals);

      expect(code).toBe(130);
      expect(said.toSorted()).toEqual(
        ['first', 'second', 'third']
          .flatMap((name) => [`closed ${name}`, `closing ${name}`])
          .concat('open')
          .toSorted(),
      );
      expect(failed).toContain('second failed');
    },
  );

  it('is closed once without any signal too, and tells of its failure', async () => {
    let closed = 0;
    const close = closeAtSignals(async () => {
      closed += 1;
      throw new Error('it failed');
    });

    await expect(close()).rejects.toThrow('it failed');
    await expect(close()).rejects.toThrow('it failed');
    expect(closed).toBe(1);
  });
});
