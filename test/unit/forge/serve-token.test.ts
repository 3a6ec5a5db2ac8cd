/** The token that git gets from us: by a program of ours, once, and for the forge alone. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { servingToken } from '../../../activities/git/forge/serve-token.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

afterAll(removeFolders);

const FORGE = 'https://forge.example';

function serve<T>(work: (askpass: string) => Promise<T>): Promise<T> {
  const askpassMain = resolve('dist/programs/askpass.js');
  return servingToken({ home: tempFolder(), token: 'a-token', origin: FORGE, askpassMain }, work);
}

const ask = (askpass: string, prompt: string) =>
  new Promise<string>((done) => {
    execFile(askpass, [prompt], { encoding: 'utf8' }, (_, stdout) => done(stdout.trim()));
  });

describe('a token', () => {
  it.each([
    ['its own password', `Password for '${FORGE.replace('//', '//x-access-token@')}': `, 'a-token'],
    ['another host', "Password for 'https://x-access-token@evil.example': ", ''],
    ['a host that begins like it', "Password for 'https://x-access-token@forge.example.evil': ", ''],
    ['another protocol', "Password for 'http://x-access-token@forge.example': ", ''],
    ['no address', 'Password: ', ''],
  ])('is given for the forge alone: %s', async (_, prompt, given) => {
    expect(await serve((askpass) => ask(askpass, prompt))).toBe(given);
  });

  it('is given once, and leaves nothing behind', async () => {
    const prompt = `Password for '${FORGE.replace('//', '//x-access-token@')}': `;
    let program = '';
    const answers = await serve(async (askpass) => {
      program = askpass;
      expect(execFileSync('ls', ['-l', askpass], { encoding: 'utf8' })).toMatch(/^-rwx------/);
      return [await ask(askpass, prompt), await ask(askpass, prompt)];
    });
    expect(answers).toEqual(['a-token', '']);
    expect(existsSync(program)).toBe(false);
  });
});
