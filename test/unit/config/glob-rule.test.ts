/** Globs and block rules: compiled at load, or refused with a rule. */
import { describe, expect, it } from '@jest/globals';
import { compileBlockRule, compileGlob } from '../../../config/keys/glob-rule.js';
import { DEFAULT_GUARDED_PATHS } from '../../../config/keys/guarded-paths.js';
import { DEFAULT_SETUP_INPUTS } from '../../../config/keys/keys.js';

const matches = (glob: string, path: string) => {
  const compiled = compileGlob(glob);
  return compiled.kind === 'ok' && compiled.value(path);
};

describe('compileGlob', () => {
  it.each([
    ['**/package-lock.json', 'package-lock.json', true],
    ['**/package-lock.json', 'apps/web/package-lock.json', true],
    ['.claude/**', '.claude/settings.json', true],
    ['src/**', 'src/../etc/passwd', false],
    ['*.env', '.env', true],
    ['./!src/**', 'docs/a.md', false],
    ['**/requirements*.txt', 'api/requirements-dev.txt', true],
  ])('%s over %s is %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  it.each(['', '!src/**', '/etc/**', '../up', 'a/../b', '[abc', '(a', `${'a'.repeat(600)}`, '+(+(a))'])(
    'refuses %j',
    (glob) => {
      expect(compileGlob(glob).kind).toBe('bad');
    },
  );

  it('compiles every default', () => {
    for (const glob of [...DEFAULT_GUARDED_PATHS, ...DEFAULT_SETUP_INPUTS]) expect(compileGlob(glob).kind).toBe('ok');
  });
});

describe('compileBlockRule', () => {
  it('tests a /regex/ over lines and a glob over paths', () => {
    const line = compileBlockRule('/eval\\(/i');
    const path = compileBlockRule('secrets/**');

    expect(line).toMatchObject({ kind: 'ok', value: { over: 'line' } });
    expect(path).toMatchObject({ kind: 'ok', value: { over: 'path' } });
    expect(line.kind === 'ok' && line.value.test('x = EVAL(1)')).toBe(true);
    expect(line.kind === 'ok' && line.value.test('x = 1')).toBe(false);
  });

  it.each([
    '/(a+)+$/',
    '/((a+))*/',
    '/(a|a)*b/',
    '/(\\d*)+/',
    '/([a-z]+)*/',
    '/(a{1,3})+/',
    '/[/',
    '/a/g',
    `/${'a'.repeat(501)}/`,
  ])('refuses %s', (rule) => {
    expect(compileBlockRule(rule).kind).toBe('bad');
  });

  it.each(['/(ab)+/', '/a+b*c/', '/(foo|bar)/', '/[(+*]+/', '/\\(a+\\)+/'])('accepts %s', (rule) => {
    expect(compileBlockRule(rule).kind).toBe('ok');
  });
});
