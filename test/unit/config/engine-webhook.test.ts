/** Where a forge may ring: it stands in a person's own file alone, with the name of a variable, never with what is in it. */
import { describe, expect, it } from '@jest/globals';
import { resolveHostSettings } from '../../../config/home/host-settings.js';
import { parseConfigFile } from '../../../config/layers/parse-config.js';
import { ConfigError } from '../../../config/system/config-error.js';

const NAME = 'config.yaml';
const settingsOf = (text: string) => resolveHostSettings({ text, name: NAME });

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [{ place, found, rule }] = error.problems;
    return `${place.replace(`${NAME}:`, '')}: ${found}; ${rule}`;
  }
  throw new Error('it was accepted');
}

describe('engine.webhook', () => {
  it('is off where nobody says so, and is else a port and the name of a variable', () => {
    expect(settingsOf('version: 1').webhook).toBeNull();
    expect(settingsOf('engine: { webhook: { port: 9321, secretEnv: HOOK } }').webhook).toEqual({
      port: 9321,
      secretEnv: 'HOOK',
    });
  });

  it.each([
    ['on', '1:20: engine.webhook is a value that is not shown; must be {port: number, secretEnv: NAME}'],
    ['{port: 80, secretEnv: HOOK}', '1:27: engine.webhook.port is 80; must be a whole number from 1024 to 65535'],
    ['{port: 9321}', '1:20: engine.webhook.secretEnv is nothing; must be the name of an environment variable'],
    [
      '{port: 9321, secretEnv: s3cr3t}',
      '1:44: engine.webhook.secretEnv is a value that is not shown; must be the name of an environment variable',
    ],
    [
      '{port: 9321, secretEnv: HOOK, secret: s3cr3t}',
      '1:20: engine.webhook is a value that is not shown; must be {port',
    ],
  ])('refuses %s', (value, fault) => {
    const told = faultOf(() => settingsOf(`engine: { webhook: ${value} }`));
    expect(told).toContain(fault);
    expect(told).not.toContain('s3cr3t');
  });

  it('is refused in the file of a project', () => {
    const text = 'engine: { webhook: { port: 9321, secretEnv: HOOK } }';
    expect(faultOf(() => parseConfigFile('project', { text, name: NAME }))).toContain(
      "1:11: engine.webhook is set; may stand in the user's file only",
    );
  });
});
