import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keepAddress, readAddress } from '../../../worker/local-engine/state/engine-address.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
const WANTED = { server: 17_233, ui: 18_233 };
const ADDRESS = { server: 17_235, ui: 18_240, uiHost: '127.4.5.6' };

describe('the address of an engine', () => {
  it('is kept for the next one, while the same ports are asked for', () => {
    const file = join(freshFolder(), 'address.json');
    keepAddress(file, WANTED, ADDRESS);

    expect(readAddress(file, WANTED)).toEqual(ADDRESS);
    expect(readAddress(file, { ...WANTED, server: 20_000 })).toBeNull();
  });

  it.each([
    ['no JSON', 'x'],
    ['of another host', JSON.stringify({ wanted: WANTED, ...ADDRESS, uiHost: '0.0.0.0' })],
    ['of a name', JSON.stringify({ wanted: WANTED, ...ADDRESS, uiHost: '127.example.org' })],
    ['no port', JSON.stringify({ wanted: WANTED, ...ADDRESS, server: 70_000 })],
  ])('that is %s does not count', (_, text) => {
    const file = join(freshFolder(), 'address.json');
    writeFileSync(file, text);

    expect(readAddress(file, WANTED)).toBeNull();
  });

  it('does not count where a folder stands in its place', () => {
    const file = join(freshFolder(), 'address.json');
    mkdirSync(file);

    expect(readAddress(file, WANTED)).toBeNull();
  });
});
