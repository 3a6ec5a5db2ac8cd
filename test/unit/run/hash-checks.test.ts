import { chmodSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashChecks, type PlaceOfChecks } from '../../../activities/checks/hash-checks.js';
import type { CheckSet, SandboxPolicy, WorktreePolicy } from '../../../protocol/run/policy.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

afterEach(removeFolders);

const SET: CheckSet = { commands: ['npm test', 'npm run lint'], timeoutMs: 60_000, baseFailures: 'fix' };
const WORKTREE: WorktreePolicy = {
  setup: ['npm ci'],
  copy: ['.env'],
  link: ['cache'],
  setupInputs: ['package-lock.json'],
  keep: ['target/'],
  setupTimeoutMs: 900_000,
  keptMs: null,
};
const SANDBOX: SandboxPolicy = { use: 'auto', network: 'proxy', allow: [], home: [] };

type Workplace = PlaceOfChecks['workplace'];

function aPlace(worktree: Partial<WorktreePolicy> = {}, part: Partial<Workplace> = {}): PlaceOfChecks {
  // What the hash reads of a policy.
  const policy = { worktree: { ...WORKTREE, ...worktree }, sandbox: SANDBOX } as Workplace['policy'];
  const workplace = { policy, sandbox: { kind: 'inside', bwrap: '/usr/bin/bwrap' }, env: {}, ...part } as const;
  return { hostId: 'h1', workplace };
}

function withSandbox(sandbox: Partial<SandboxPolicy>): PlaceOfChecks {
  const { policy } = aPlace().workplace;
  return aPlace({}, { policy: { ...policy, sandbox: { ...SANDBOX, ...sandbox } } });
}

/** Lists that a careless text would take for one another. */
const LISTS = [[], ['a'], ['a', 'b'], ['a,b'], ['a","b'], ['"],["']];

function* everySet(): Generator<string> {
  for (const commands of LISTS)
    for (const setup of LISTS)
      for (const copy of LISTS)
        for (const link of LISTS)
          for (const keep of LISTS) yield hashChecks({ ...SET, commands }, aPlace({ setup, copy, link, keep }));
}

describe('the hash of checks', () => {
  it('is another one for each set of lists', () => {
    const all = [...everySet()];

    expect(new Set(all).size).toBe(all.length);
  });

  it('is another one for commands that are joined, by whatever text', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 2 }), fc.string(), (commands, between) => {
        const joined = hashChecks({ ...SET, commands: [commands.join(between)] }, aPlace());

        expect(joined).not.toBe(hashChecks({ ...SET, commands }, aPlace()));
      }),
    );
  });

  it.each<[string, Partial<CheckSet>, Partial<WorktreePolicy>]>([
    ['the order of the commands', { commands: ['npm run lint', 'npm test'] }, {}],
    ['two commands as one', { commands: ['npm test,npm run lint'] }, {}],
    ['their limit', { timeoutMs: 30_000 }, {}],
    ['the set-up', {}, { setup: ['npm ci --ignore-scripts'] }],
    ['what is copied', {}, { copy: [] }],
    ['what is linked instead of copied', {}, { copy: ['cache'], link: ['.env'] }],
    ['when the set-up runs again', {}, { setupInputs: [] }],
    ['what stays from tree to tree', {}, { keep: [] }],
    ['the limit of the set-up', {}, { setupTimeoutMs: 1 }],
  ])('tells %s', (_what, set, worktree) => {
    expect(hashChecks({ ...SET, ...set }, aPlace(worktree))).not.toBe(hashChecks(SET, aPlace()));
  });

  it.each<[string, PlaceOfChecks]>([
    ['the host', { ...aPlace(), hostId: 'h2' }],
    ['no sandbox', aPlace({}, { sandbox: { kind: 'outside', why: 'sandbox is off', expected: false } })],
    ['the network of the sandbox', withSandbox({ network: 'on' })],
    ['the hosts that are let through', withSandbox({ allow: ['example.org'] })],
    ['what of HOME is shown', withSandbox({ home: ['.npm'] })],
    ['a variable', aPlace({}, { env: { LANG: 'C' } })],
  ])('tells %s', (_what, place) => {
    expect(hashChecks(SET, place)).not.toBe(hashChecks(SET, aPlace()));
  });

  it('tells another program of the same name, wherever in a line it is called', () => {
    const [bin, one, two] = [tempFolder(), tempFolder(), tempFolder()];
    for (const folder of [one, two]) {
      writeFileSync(join(folder, 'tool'), '#!/bin/sh\n');
      chmodSync(join(folder, 'tool'), 0o755);
    }
    const set = { ...SET, commands: ['cd sub && CI=1 tool --all'] };
    const place = aPlace({}, { env: { PATH: bin } });
    const without = hashChecks(set, place);
    symlinkSync(join(one, 'tool'), join(bin, 'tool'));
    const first = hashChecks(set, place);
    symlinkSync(join(two, 'tool'), join(bin, 'other'));

    expect(first).not.toBe(without);
    expect(hashChecks({ ...set, commands: ['cd sub && CI=1 other --all'] }, place)).not.toBe(first);
    expect(hashChecks(set, place)).toBe(first);
  });

  it('tells where a link of PATH leads', () => {
    const [bin, one, two] = [tempFolder(), tempFolder(), tempFolder()];
    const linked = (folder: string, name: string) => {
      writeFileSync(join(folder, 'tool'), '#!/bin/sh\n');
      chmodSync(join(folder, 'tool'), 0o755);
      symlinkSync(folder, join(bin, name));
    };
    linked(one, 'a');
    linked(two, 'b');
    const hashOf = (name: string) => {
      const place = aPlace({}, { env: { PATH: join(bin, 'current') } });
      symlinkSync(name, join(bin, 'current'));
      const hash = hashChecks({ ...SET, commands: ['tool'] }, place);
      unlinkSync(join(bin, 'current'));
      return hash;
    };

    expect(hashOf('a')).not.toBe(hashOf('b'));
    expect(hashOf('a')).toBe(hashOf('a'));
  });

  it('is the same whatever red on the base counts for, and in whatever order config and environment were read', () => {
    const reordered = Object.fromEntries(Object.entries(WORKTREE).toReversed()) as unknown as WorktreePolicy; // The same keys.
    const [there, back] = [
      { LANG: 'C', TZ: 'UTC' },
      { TZ: 'UTC', LANG: 'C' },
    ];

    expect(hashChecks({ ...SET, baseFailures: 'ignore' }, aPlace(reordered))).toBe(hashChecks(SET, aPlace()));
    expect(hashChecks(SET, aPlace({}, { env: there }))).toBe(hashChecks(SET, aPlace({}, { env: back })));
  });

  it('is the same outside of a sandbox for whatever a sandbox would show', () => {
    const sandbox = { kind: 'outside', why: 'none is there', expected: true } as const;
    const { policy } = withSandbox({ network: 'on' }).workplace;

    expect(hashChecks(SET, aPlace({}, { sandbox, policy }))).toBe(hashChecks(SET, aPlace({}, { sandbox })));
  });
});
