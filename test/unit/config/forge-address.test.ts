/** Where a forge is, by the address of its API. */
import { describe, expect, it } from '@jest/globals';
import { forgeAddress, isForgeRepository } from '../../../config/keys/forge-address.js';

describe('the address of a forge', () => {
  it.each([
    ['https://api.github.com', 'https://api.github.com', 'https://github.com', 'github.com'],
    ['https://api.acme.ghe.com/', 'https://api.acme.ghe.com', 'https://acme.ghe.com', 'acme.ghe.com'],
    ['https://git.acme.com/api/v3/', 'https://git.acme.com/api/v3', 'https://git.acme.com', 'git.acme.com'],
    ['http://127.0.0.1:81/api/v3', 'http://127.0.0.1:81/api/v3', 'http://127.0.0.1:81', '127.0.0.1:81'],
  ])('%s', (text, apiUrl, gitOrigin, host) => {
    expect(forgeAddress(text)).toEqual({ apiUrl, gitOrigin, host });
  });

  it.each([
    'http://api.github.com',
    'https://github.com',
    'https://git.acme.com/api/v4',
    'https://me:secret@api.github.com',
    'https://api.github.com?x=1',
    'ssh://api.github.com',
    'file:///api/v3',
    'nothing',
  ])('is not %s', (text) => {
    expect(forgeAddress(text)).toBeNull();
  });
});

describe('a repository of a forge', () => {
  it.each(['owner/name', 'alice_contoso/tool', 'o/n.ame_1-x', 'a-b/.github'])('is %s', (text) => {
    expect(isForgeRepository(text)).toBe(true);
  });

  it.each([
    'name',
    'owner/',
    '/name',
    'a/b/c',
    'owner/..',
    'owner/.',
    'owner/name.git',
    '-o/n',
    'o/n m',
    'o/n\n',
    '../x',
  ])('is not %j', (text) => {
    expect(isForgeRepository(text)).toBe(false);
  });
});
