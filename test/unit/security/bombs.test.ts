/** Rules, configs and lists that are small to write and endless to evaluate: each is refused, or ended and told, and the process goes on. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkDiff } from '../../../activities/git/inspect/diff-check.js';
import { TimeBudget } from '../../../activities/git/start/within-time.js';
import { parseBatchFile } from '../../../client/batch-file.js';
import { compileBlockRule, compileGlob } from '../../../config/keys/glob-rule.js';
import { parseConfigFile, parseConfigValue } from '../../../config/layers/parse-config.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { openForgeWorld } from '../forge/forge-world.js';
import { git, openRun, removeFolders, write } from '../git/repository-fixture.js';

/** Of the shape that load-time checks cannot tell from an honest one: many repetitions beside each other. */
const GLOB_BOMB = `${'*a'.repeat(20)}*b`;
const REGEX_BOMB = `/${'a*'.repeat(20)}b/`;
const LONG_NAME = 'a'.repeat(250);

afterEach(removeFolders);

describe('a rule that backtracks for ever', () => {
  it.each([
    ['glob of block', { block: [GLOB_BOMB], guarded: [] }],
    ['expression of block', { block: [REGEX_BOMB], guarded: [] }],
  ])('as a %s refuses the change, and the process goes on', async (_, policy) => {
    const run = await openRun();
    write(run.worktree, LONG_NAME, `${LONG_NAME}\n`);
    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 's',
      body: '',
    });
    const diff = await run.run.diff(run.base, planned?.commit ?? '');
    expect(policy.block.map((rule) => compileBlockRule(rule).kind)).toEqual(['ok']);

    const { findings } = await checkDiff({ worktree: run.worktree, diff, ...policy });

    expect(findings).toMatchObject([
      { rule: 'block', path: LONG_NAME, why: expect.stringContaining('cannot be told within some seconds') },
    ]);
  });

  it('as a guarded path guards every path of the change', async () => {
    const run = await openRun();
    write(run.worktree, LONG_NAME, 'x\n');
    write(run.worktree, 'other.txt', 'x\n');
    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 's',
      body: '',
    });
    const diff = await run.run.diff(run.base, planned?.commit ?? '');
    expect(compileGlob(GLOB_BOMB).kind).toBe('ok');

    const { findings, guarded } = await checkDiff({ worktree: run.worktree, diff, block: [], guarded: [GLOB_BOMB] });

    expect({ findings, guarded }).toEqual({ findings: [], guarded: [LONG_NAME, 'other.txt'] });
    expect(git(run.root, 'rev-parse', 'main').trim()).toBe(run.base);
  });

  it('as a guarded path is told of every path at a pull request', async () => {
    const { forge, ensure } = await openForgeWorld({ file: LONG_NAME, guardedPaths: [GLOB_BOMB] });

    const answer = await ensure();
    const body = forge.state.pulls[0]?.body ?? '';
    forge.close();

    expect(answer).toMatchObject({ kind: 'pull', number: 1 });
    expect(body).toContain(`**Guarded files, which steer agents or run by themselves**\n\`\`\`text\n${LONG_NAME}\n`);
  });

  it('shares one budget with all others of the check', () => {
    const time = new TimeBudget(50);
    const endless = () => [/(?:a*)*b/.test('a'.repeat(100))];

    expect([time.run(() => [1]), time.run(endless), time.run(() => [2])]).toEqual([[1], null, null]);
    expect(new TimeBudget(50).run(() => [3])).toEqual([3]);
    expect(() =>
      new TimeBudget(50).run(() => {
        throw new RangeError('of the work');
      }),
    ).toThrow('of the work');
  });
});

describe('a config that grows when it is read', () => {
  const refusalOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return 'accepted';
  };
  const project = (text: string) => refusalOf(() => parseConfigFile('project', { text, name: '.sluice/config.yaml' }));
  const deep = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

  it.each([
    [
      'thousands of entries in a list',
      `guardedPaths: [${Array.from({ length: 60_000 }, () => '[').join(',')}`,
      'nests too deeply',
    ],
    ['200 kB of one wrong value', `agent: ${'x'.repeat(200_000)}`, 'agent is'],
    [
      'merge keys',
      `a: &a {b: 1}\n${Array.from({ length: 200 }, (_, n) => `k${n}: {<<: *a}`).join('\n')}`,
      'aliases that multiply',
    ],
    [
      'a key of every prototype',
      'constructor: 1\nprototype: 1\ntoString: 1\nhasOwnProperty: 1',
      'unknown key hasOwnProperty',
    ],
    [
      'prototype keys where names are free',
      'agents: {constructor: {command: x}, __proto__: {command: y}}',
      '__proto__ is a key',
    ],
    ['quadratic block scalars', `agent: |\n${' \n'.repeat(100_000)}`, 'agent is'],
    ['local tags', 'agent: !<tag:yaml.org,2002:js/function> x', 'without tags'],
    ['binary', 'agent: !!binary aGk=', 'agent is'],
    ['a NUL', 'agent: "a\\0b"', 'agent is'],
  ])('is refused: %s', (_, text, rule) => {
    const message = project(text);

    expect(message).toContain(rule);
    expect(message.length).toBeLessThan(6_000);
  });

  it('gives no object another prototype', () => {
    for (const text of [
      'agents: {x: {command: y, env: {__proto__: z}}}',
      '"__proto__": {polluted: 1}',
      'constructor: {prototype: {polluted: 1}}',
    ])
      expect(project(text)).not.toBe('accepted');

    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    ['5 000 levels deep', deep(5_000)],
    ['a level for each stage, and below', { stages: { executing: deep(5_000) } }],
    ['a list of 100 000', { gates: Array.from({ length: 100_000 }, () => 'executing') }],
    ['100 000 keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, 1]))],
    ['a text of 1 MB', { preset: 'x'.repeat(1_000_000) }],
  ])('as the policy of a start input is refused: %s', (_, value) => {
    const message = refusalOf(() => parseConfigValue('run input', value, 'policy'));

    expect(message).not.toBe('accepted');
    expect(message.length).toBeLessThan(10_000);
  });
});

describe('a line of a batch that grows when it is read', () => {
  const nested = (depth: number) => `{"task":1,"policy":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each([
    ['100 000 levels beside a wrong field', nested(100_000), 'tasks.jsonl:1:1'],
    ['100 000 levels that never close', `{"task":"x","policy":${'['.repeat(100_000)}`, 'tasks.jsonl:1:100022'],
    ['a wrong field behind 1 MB', `{"policy":"${'x'.repeat(1_000_000)}","task":1}`, 'tasks.jsonl:1:'],
    ['a task of 1 MB', JSON.stringify({ task: 'x'.repeat(1_000_000) }), 'tasks.jsonl:1:2'],
    ['another prototype', '{"__proto__":{"task":"x"},"constructor":1}', 'tasks.jsonl:1:'],
  ])('is refused with its place: %s', (_, line, place) => {
    const parsed = parseBatchFile(Buffer.from(line), 'tasks.jsonl');

    expect(parsed).toMatchObject({ kind: 'bad', at: expect.stringContaining(place) });
    expect(JSON.stringify(parsed).length).toBeLessThan(1_000);
  });
});
