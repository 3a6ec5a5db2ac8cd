/** What people read in `sluice doctor` of a forge. */
import { describe, expect, it } from '@jest/globals';
import { forgeFindings } from '../../../client/cli/start/forge-findings.js';
import type { ForgeTrouble } from '../../../protocol/actors/forge.js';
import type { BaseRules, ForgeReport, ForgeSays } from '../../../protocol/actors/forge-report.js';
import type { LandingMethod } from '../../../protocol/run/landing-policy.js';

const RULES: BaseRules = {
  isProtected: false,
  requiredChecks: [],
  approvals: 0,
  isLinear: false,
  isSigned: false,
  hasQueue: false,
};

const SAID: ForgeSays = {
  kind: 'said',
  repo: 'acme/shop',
  isArchived: false,
  mayPush: true,
  methods: ['merge', 'squash', 'rebase'],
  branch: 'main',
  rules: RULES,
};

const find = (
  said: Partial<ForgeSays> | ForgeTrouble,
  rest: Partial<ForgeReport> = {},
  method: LandingMethod = 'merge',
) => {
  const all = 'why' in said ? said : { ...SAID, ...said };
  const report = { tokenSource: 'GH_TOKEN', scopes: ['repo', 'workflow'], said: all, ...rest };
  return forgeFindings(report, { repo: 'acme/shop', host: 'git.corp.example', method }).map(
    ({ grade, found, mend }) => [grade, found, mend],
  );
};
const word = (text: string) => expect.stringContaining(text);

describe('the token', () => {
  it.each<[string, Partial<ForgeReport>, readonly unknown[]]>([
    ['with what it needs', {}, ['ok', 'of GH_TOKEN, scopes repo, workflow', null]],
    ['without scopes, as a fine-grained one', { scopes: null }, ['ok', word('without scopes'), null]],
    [
      'that may not change workflows',
      { scopes: ['repo'] },
      ['warn', word('.github/workflows'), word('--scopes workflow')],
    ],
    ['for public repositories', { scopes: ['workflow'] }, ['warn', word('public'), word('--scopes repo')]],
    ['without any', { scopes: [] }, ['warn', word('scopes none'), word('repo,workflow')]],
  ])('%s', (_what, rest, first) => {
    expect(find({}, rest)[0]).toEqual(first);
  });

  it('is missing, or unknown there', () => {
    const unauthorized = { kind: 'unauthorized', why: 'there is no gh' } as const;
    expect(find(unauthorized, { tokenSource: null })).toEqual([
      [
        'fail',
        'none: there is no gh',
        'gh auth login --hostname git.corp.example, or: export GH_ENTERPRISE_TOKEN=<token>',
      ],
    ]);
    expect(find(unauthorized)).toEqual([['fail', word('GH_TOKEN'), word('gh auth login')]]);
  });
});

describe('the repository', () => {
  it.each<[string, Partial<ForgeSays>, readonly unknown[]]>([
    ['may be pushed to', {}, ['ok', 'acme/shop, may be pushed to, merges by merge, squash, rebase', null]],
    ['has another name', { repo: 'acme/store' }, ['fail', word('acme/store'), word('forge.repo')]],
    ['is written in other letters', { repo: 'Acme/Shop' }, ['ok', word('Acme/Shop'), null]],
    ['is archived', { isArchived: true }, ['fail', word('archived'), word('unarchive')]],
    ['may not be pushed to', { mayPush: false }, ['fail', word('may not push'), word('right to write')]],
  ])('%s', (_what, said, second) => {
    expect(find(said)[1]).toEqual(second);
  });

  it.each(['gone', 'moved', 'missing_scope', 'refused', 'limited', 'unreachable'] as const)('is %s', (kind) => {
    const trouble = { kind, why: 'HTTP 1', until: '2026-01-01T00:00:00Z' };
    const grade = kind === 'limited' || kind === 'unreachable' ? 'warn' : 'fail';
    expect(find(trouble)[1]).toEqual([grade, word('HTTP 1'), expect.any(String)]);
  });
});

describe('the base', () => {
  const isProtected = true;

  it.each<[string, Partial<BaseRules>, LandingMethod, readonly unknown[]]>([
    ['without rules', {}, 'merge', ['ok', 'main: no rules, the checked commit itself is pushed', null]],
    [
      'with checks and reviews',
      { isProtected, requiredChecks: ['ci'], approvals: 2 },
      'merge',
      ['ok', word('checks ci; reviews that approve: 2'), null],
    ],
    [
      'that is linear',
      { isProtected, isLinear: true },
      'merge',
      ['warn', word('its rules refuse landing.method: merge'), 'landing.method: squash'],
    ],
    ['that is linear, by a rebase', { isProtected, isLinear: true }, 'rebase', ['ok', word('linear'), null]],
    [
      'that wants signatures',
      { isProtected, isSigned: true },
      'merge',
      ['warn', word('signed commits; its rules'), 'landing.method: squash'],
    ],
    ['that wants signatures, by a squash', { isProtected, isSigned: true }, 'squash', ['ok', word('signed'), null]],
    ['with a queue', { hasQueue: true, isLinear: true }, 'merge', ['ok', word("the forge's own merge queue"), null]],
  ])('%s', (_what, rules, method, third) => {
    expect(find({ rules: { ...RULES, ...rules } }, {}, method)[2]).toEqual(third);
  });

  it('whose repository does not allow the way, or any that its rules take', () => {
    const linear = { ...RULES, isProtected, isLinear: true };
    expect(find({ methods: ['merge'] }, {}, 'squash')[2]).toEqual([
      'warn',
      word('its settings do not allow'),
      'landing.method: merge',
    ]);
    expect(find({ methods: ['merge'], rules: linear })[2]).toEqual([
      'warn',
      word('its rules refuse'),
      word('allow a way'),
    ]);
  });

  it('is not there', () => {
    expect(find({ rules: null })[2]).toEqual(['warn', word('no branch main'), word('git push')]);
  });
});
