/** Whose token a forge gets: that of its own, whatever else the environment has. */
import { describe, expect, it } from '@jest/globals';
import { findForgeToken } from '../../../config/home/forge-token.js';
import { forgeAddress } from '../../../config/keys/forge-address.js';

const [HUB, SERVER] = ['gho_of_the_hub', 'ghe_of_the_server'];
const BOTH = { GITHUB_TOKEN: HUB, GITHUB_ENTERPRISE_TOKEN: SERVER, PATH: '/nonexistent' };

const tokenFor = async (apiUrl: string, environment: Readonly<Record<string, string>>) => {
  const found = await findForgeToken({ environment, host: forgeAddress(apiUrl)?.host ?? '', forbidden: [] });
  return found.kind === 'token' ? found.token : found.why;
};

describe('the token of a forge', () => {
  it.each([
    ['https://api.github.com', HUB],
    ['https://api.acme.ghe.com', HUB],
    ['https://git.acme.example/api/v3', SERVER],
    ['https://github.com.acme.example/api/v3', SERVER],
    ['http://127.0.0.1:4444/api/v3', HUB],
  ])('%s is that of its own environment variable', async (apiUrl, token) => {
    expect(await tokenFor(apiUrl, BOTH)).toBe(token);
  });

  it('is none where there is one of another forge alone', async () => {
    const none = 'is set, and there is no gh';

    expect(await tokenFor('https://git.acme.example/api/v3', { GH_TOKEN: HUB, PATH: '/nonexistent' })).toContain(none);
    expect(await tokenFor('https://api.github.com', { GH_ENTERPRISE_TOKEN: SERVER, PATH: '/nonexistent' })).toContain(
      none,
    );
  });

  it('goes first by the name that the command line of the forge looks at first', async () => {
    const all = { ...BOTH, GH_TOKEN: 'first', GH_ENTERPRISE_TOKEN: 'first_of_server' };

    expect(await tokenFor('https://api.github.com', all)).toBe('first');
    expect(await tokenFor('https://git.acme.example/api/v3', all)).toBe('first_of_server');
  });
});
