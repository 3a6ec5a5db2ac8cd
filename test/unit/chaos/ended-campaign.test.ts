/** A campaign that is ended by a signal: its engines lead process groups of their own, so whatever it leaves open lives on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

const HELPER = fileURLToPath(new URL('../../support/close-at-end.ts', import.meta.url));

/** It holds two folders open, one of which cannot be closed, and works in a loop that opens another as soon as its folder is closed. */
const program = (held: string) => `
import { existsSync, rmSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdOpen, runCampaign, waitIfEnding } from ${JSON.stringify(HELPER)};
await runCampaign(async () => {
  holdOpen(() => Promise.reject(new Error('stuck')));
  const held = ${JSON.stringify(held)};
  holdOpen(async () => {
    holdOpen(async () => console.error('closed what came late'));
    rmSync(held, { recursive: true });
    await sleep(300);
    if (process.argv[2] === 'waits') setTimeout(() => { throw new Error('it was closed'); });
    await sleep(50);
  });
  if (process.argv[2] === 'throws') throw new Error('of the campaign');
  if (process.argv[2] !== 'waits') return process.argv[2] === 'passes';
  console.log('ready');
  while (existsSync(held)) await sleep(10);
  await waitIfEnding();
  mkdirSync(held);
  return true;
});
`;

async function campaign(how: string, signal: NodeJS.Signals | null = null) {
  const folder = freshFolder();
  const held = join(folder, 'held');
  mkdirSync(held);
  const main = join(folder, 'campaign.mts');
  writeFileSync(main, program(held));
  const child = spawn(process.execPath, ['--import', 'tsx', main, how], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  if (signal !== null) {
    child.stdout.once('data', () => child.kill(signal));
    // A second one changes nothing.
    child.stderr.once('data', () => child.kill('SIGINT'));
  }
  const [code] = await once(child, 'close');
  return { code: code as unknown, said, isOpen: existsSync(held) };
}

describe('a campaign', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('that gets %s closes what it holds open, opens nothing more, and ends with %d', async (signal, code) => {
    const ended = await campaign('waits', signal);

    expect(ended).toEqual({ code, isOpen: false, said: expect.stringContaining(`ended by ${signal}`) });
    expect(ended.said).toContain('not closed: Error: stuck');
    expect(ended.said).toContain('closed what came late');
  });

  it.each([
    ['passes', 0, ''],
    ['does not pass', 1, ''],
    ['throws', 1, 'of the campaign'],
  ])('that %s closes what it still holds open and ends with %d', async (how, code, said) => {
    expect(await campaign(how)).toEqual({ code, isOpen: false, said: expect.stringContaining(said) });
  });
});
