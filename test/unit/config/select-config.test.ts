/** Which project config a run uses, and that nothing untrusted can start a program. */
import { describe, expect, it } from '@jest/globals';
import { type ConfigCandidates, needsTrust, selectProjectConfig } from '../../../config/resolve/select-config.js';
import { hashOfText } from '../../../config/system/config-text.js';

const HARMLESS = 'stageList: express\n';
const PROGRAMS = 'validation: {commands: [npm test]}\n';
const OTHER = 'validation: {commands: [make]}\n';

function select(rest: Partial<ConfigCandidates>, trusted: readonly string[] = [], kept: readonly string[] = trusted) {
  const trust = {
    isTrusted: (hash: string) => trusted.some((text) => hashOfText(text) === hash),
    textOf: (hash: string) => kept.find((text) => hashOfText(text) === hash) ?? null,
  };
  return selectProjectConfig({ baseText: null, workingText: null, trust, ...rest });
}

describe('selectProjectConfig', () => {
  it('answers none where there is no config', () => {
    expect(select({})).toEqual({ kind: 'none' });
  });

  it.each([
    ['harmless at the base', { baseText: HARMLESS }, [], { origin: 'base', text: HARMLESS, isTrusted: false }],
    ['trusted at the base', { baseText: PROGRAMS }, [PROGRAMS], { origin: 'base', text: PROGRAMS, isTrusted: true }],
    [
      'the base before another one in the checkout',
      { baseText: PROGRAMS, workingText: OTHER },
      [PROGRAMS, OTHER],
      { origin: 'base', workingDiffers: true },
    ],
    [
      'the same in both',
      { baseText: PROGRAMS, workingText: PROGRAMS },
      [PROGRAMS],
      { origin: 'base', workingDiffers: false },
    ],
    ['trusted and uncommitted', { workingText: PROGRAMS }, [PROGRAMS], { origin: 'working', text: PROGRAMS }],
    [
      'the checkout by hash',
      { baseText: PROGRAMS, workingText: OTHER, requestedHash: hashOfText(OTHER) },
      [OTHER],
      { origin: 'working', text: OTHER },
    ],
    [
      'a kept text by hash',
      { baseText: PROGRAMS, requestedHash: hashOfText(OTHER) },
      [OTHER],
      { origin: 'kept', text: OTHER },
    ],
  ])('chooses %s', (...[, candidates, trusted, expected]) => {
    expect(select(candidates, trusted)).toMatchObject({ kind: 'chosen', ...expected });
  });

  it.each([
    ['at the base', { baseText: PROGRAMS }],
    ['at the base, though the checkout is trusted', { baseText: PROGRAMS, workingText: OTHER }],
    ['in the checkout, by hash', { workingText: PROGRAMS, requestedHash: hashOfText(PROGRAMS) }],
    ['by a hash that nobody holds', { baseText: HARMLESS, requestedHash: 'f'.repeat(64) }],
  ])('refuses programs that nobody trusted: %s', (_, candidates) => {
    const choice = select(candidates, [OTHER]);

    expect(choice).toMatchObject({
      kind: 'not_trusted',
      error: { type: 'NotTrusted', message: expect.stringContaining('sluice trust') },
    });
  });

  it('refuses a kept text whose trust was taken back', () => {
    expect(select({ requestedHash: hashOfText(PROGRAMS) }, [], [PROGRAMS]).kind).toBe('not_trusted');
  });
});

describe('needsTrust', () => {
  it('sees programs through aliases of YAML and is false for what cannot be read', () => {
    expect(needsTrust('agent: &x a\nagents: {main: {command: *x}}\n')).toBe(true);
    expect(needsTrust('{')).toBe(false);
    expect(needsTrust(HARMLESS)).toBe(false);
  });
});
