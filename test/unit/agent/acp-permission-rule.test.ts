/** What is answered when an ACP agent asks: the level of tools first, people where the policy says so, and never an option that lasts. */
import { describe, expect, it } from '@jest/globals';
import { type AskedPermission, keyOf, rulePermission } from '../../../activities/agent/adapters/acp/permission-rule.js';
import type { ToolLevel } from '../../../protocol/run/policy.js';

const ALWAYS = { id: 'a', name: 'Always allow', kind: 'allow_always' };
const ALLOW = { id: 'y', name: 'Allow', kind: 'allow_once' };
const REJECT = { id: 'n', name: 'Reject', kind: 'reject_once' };

const asked = (part: Partial<AskedPermission>): AskedPermission => ({
  kind: 'execute',
  title: 'npm test',
  paths: [],
  commandLine: null,
  options: [ALWAYS, ALLOW, REJECT],
  ...part,
});

const inside = (tools: ToolLevel, asks = false) => ({ cwd: '/worktree', tools, asks, answers: [] });

describe('a request for permission', () => {
  it.each<[string, Partial<AskedPermission>, string, string, string, string]>([
    ['reading', { kind: 'read', paths: ['/etc/hosts'] }, 'allowed', 'allowed', 'allowed', 'allowed'],
    ['searching', { kind: 'search' }, 'allowed', 'allowed', 'allowed', 'allowed'],
    [
      'changing a file of the worktree',
      { kind: 'edit', paths: ['/worktree/a.ts'] },
      'refused',
      'allowed',
      'allowed',
      'allowed',
    ],
    [
      'changing it by a relative path',
      { kind: 'move', paths: ['a.ts', 'b/c.ts'] },
      'refused',
      'allowed',
      'allowed',
      'allowed',
    ],
    [
      'changing a file elsewhere',
      { kind: 'edit', paths: ['/worktree/a', '/etc/x'] },
      'refused',
      'refused',
      'allowed',
      'asked',
    ],
    ['leaving by ..', { kind: 'edit', paths: ['/worktree/../x'] }, 'refused', 'refused', 'allowed', 'asked'],
    ['changing .git', { kind: 'edit', paths: ['/worktree/.git'] }, 'refused', 'refused', 'allowed', 'asked'],
    ['changing a neighbour', { kind: 'edit', paths: ['/worktree-2/a'] }, 'refused', 'refused', 'allowed', 'asked'],
    ['changing nobody knows what', { kind: 'edit' }, 'refused', 'refused', 'allowed', 'asked'],
    ['running a program', {}, 'refused', 'refused', 'allowed', 'asked'],
    ['fetching', { kind: 'fetch' }, 'refused', 'refused', 'allowed', 'asked'],
    ['changing its own mode', { kind: 'switch_mode' }, 'refused', 'refused', 'allowed', 'asked'],
    ['something without a kind', { kind: null }, 'refused', 'refused', 'allowed', 'asked'],
    ['looking by git', { commandLine: 'git diff main...HEAD -- src/a.ts' }, 'allowed', 'allowed', 'allowed', 'allowed'],
    ['writing by git', { commandLine: 'git diff --output=x' }, 'refused', 'refused', 'allowed', 'asked'],
    ['more than git', { commandLine: 'git status; rm -rf .' }, 'refused', 'refused', 'allowed', 'asked'],
    ['a program by git', { commandLine: 'git log $(id)' }, 'refused', 'refused', 'allowed', 'asked'],
  ])('for %s is decided by the level of tools', (_what, part, read, edit, run, asking) => {
    const rulings = [inside('read'), inside('edit'), inside('run'), inside('run', true)].map(
      (spec) => rulePermission(asked(part), spec).kind,
    );

    expect(rulings).toEqual([read, edit, run, asking]);
  });

  it('is never asked where the level refuses it', () => {
    expect(rulePermission(asked({}), inside('read', true)).kind).toBe('refused');
    expect(rulePermission(asked({}), inside('edit', true)).kind).toBe('refused');
  });

  it('is answered with what holds once, and with nothing where only "always" is offered', () => {
    const lasting = [ALWAYS, { id: 'never', name: 'Never', kind: 'reject_always' }];

    expect(rulePermission(asked({}), inside('run'))).toEqual({ kind: 'allowed', option: ALLOW });
    expect(rulePermission(asked({}), inside('read'))).toEqual({ kind: 'refused', option: REJECT });
    expect(rulePermission(asked({ options: lasting }), inside('run'))).toEqual({ kind: 'refused', option: null });
    expect(rulePermission(asked({ options: lasting }), inside('read'))).toEqual({ kind: 'refused', option: null });
    expect(rulePermission(asked({ options: [] }), inside('run'))).toEqual({ kind: 'refused', option: null });
  });

  it('takes what a person chose for this very request, also with another id, and no other', () => {
    const answered = (option: typeof ALLOW, title = 'npm test') => ({
      ...inside('run', true),
      answers: [{ key: keyOf({ kind: 'execute', title }), option }],
    });

    expect(rulePermission(asked({}), answered(ALWAYS))).toEqual({ kind: 'chosen', option: ALWAYS });
    expect(rulePermission(asked({}), answered(REJECT))).toEqual({ kind: 'chosen', option: REJECT });
    expect(rulePermission(asked({}), answered({ ...ALLOW, id: 'old' }))).toEqual({ kind: 'chosen', option: ALLOW });
    expect(rulePermission(asked({}), answered({ id: 'y', name: 'Allow', kind: 'allow_always' })).kind).toBe('asked');
    expect(rulePermission(asked({}), answered(ALLOW, 'npm publish')).kind).toBe('asked');
    expect(rulePermission(asked({ kind: 'fetch' }), answered(ALLOW)).kind).toBe('asked');
  });

  it('is refused where it is longer than what people are shown', () => {
    const long = asked({ title: `npm test ${'-v '.repeat(80)}; rm -rf ~` });
    const answers = [{ key: keyOf(long), option: ALLOW }];

    expect(rulePermission(long, { ...inside('run', true), answers })).toEqual({ kind: 'refused', option: REJECT });
    expect(rulePermission(long, inside('run')).kind).toBe('allowed');
  });

  it('takes the last of what people chose', () => {
    const key = keyOf(asked({}));
    const answers = [ALLOW, REJECT].map((option) => ({ key, option }));

    expect(rulePermission(asked({}), { ...inside('run', true), answers })).toEqual({ kind: 'chosen', option: REJECT });
  });
});
