/** Config files: every fault has file, line and column, the value, the rule and what mends it. */
import { describe, expect, it } from '@jest/globals';
import {
  executes,
  type Layer,
  parseConfigFile,
  parseConfigValue,
  valueIn,
} from '../../../config/layers/parse-config.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { MAX_CONFIG_BYTES } from '../../../config/system/config-text.js';
import { expectLinearCost } from '../../support/linear-cost.js';

const NAME = '.sluice/config.yaml';

function parse(text: string): Layer {
  return parseConfigFile('project', { text, name: NAME });
}

function refusalOf(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

/** `line:column: what is found` of every problem. */
function faults(text: string): string[] {
  return refusalOf(() => parse(text)).problems.map(({ place, found }) => `${place.replace(`${NAME}:`, '')}: ${found}`);
}

describe('a config file', () => {
  it('says place, value, rule, state and mending command', () => {
    const { message, type } = refusalOf(() => parse('limits:\n  turn: 15'));

    expect(type).toBe('BadConfig');
    expect(message.split('\n')).toEqual([
      '.sluice/config.yaml:2:9: limits.turn is 15',
      'must be a duration from 100ms to 7d, such as 90s, 15m or 1h30m',
      'Nothing was started.',
      'Correct .sluice/config.yaml, then: sluice config',
    ]);
  });

  it('names every problem at once', () => {
    expect(faults('agent: 3\nrounds: -1\nfoo: 1')).toEqual([
      '1:8: agent is 3',
      '2:9: rounds is -1',
      '3:1: unknown key foo',
    ]);
  });

  it.each([
    ['validaton: {}', 'did you mean validation?'],
    ['limits: {trun: 5m}', 'did you mean limits.turn?'],
    ['timeoutSeconds: 3', 'did you mean validation.timeoutSeconds?'],
    ['stages: {validating: {agent: x}}', "validating is the engine's own"],
    ['stages: {plan: {agent: x}}', 'must be one of planning'],
    ['<<: {agent: x}', 'is not a key of sluice'],
    ['slots: 3', "the user's file only"],
    ['agents: {x: {adapter: foo}}', 'must be one of command, scripted'],
    ['agents: {x: {command: ./tool}}', 'never a path into the repository'],
    ['agents: {x: {command: my tool}}', 'write arguments as a list'],
    ['agents: {x: {command: [node_modules/.bin/x]}}', 'never a path into the repository'],
    ['agents: {"a b": {command: x}}', 'must be the name of an agent'],
    ['agents: {x: {env: {SLUICE_TURN: a}}}', 'not starting with SLUICE_'],
    ['validation: {commands: npm test}', 'must be a list'],
    ['validation: [a]', 'must be a mapping'],
    ['runsDir: ../x', 'inside the repository'],
    ['runsDir: .git/x', 'inside the repository'],
    ['runsDir: /tmp', 'inside the repository'],
    ['worktree: {copy: [.git/config]}', 'must not name .git'],
    ['guardedPaths: ["[a"]', 'must be a glob'],
    ['block: ["/(a+)+/"]', 'must not repeat a group'],
    ['version: 2', 'from 1 to 1'],
    ['preset: karimo', 'must be one of default, vibestrate, skep'],
    ['limits: {outputBytes: 3}', 'must be a size'],
    ['limits: {heartbeat: 1ms}', 'must be a duration from 1s'],
    ['stageList: []', 'must name at least one stage'],
    ['stageList: [reviewing, planning]', 'in this order'],
    ['stageList: [planning, planning]', 'each at most once'],
    ['stageList: [executing, fixing, verifying]', 'must have reviewing'],
    ['stageList: [reviewing, fixing]', 'must not end at fixing'],
    ['stageList: slow', 'must be full, express, plan-only'],
    ['- a', 'must be a mapping of config keys'],
    ['a: 1\n---\nb: 2', 'one YAML document'],
    ['%YAML 1.1\n---\nagent: x', '1.1 reads off'],
    ['agent: !!js/function x', 'without tags'],
    ['agent: [', 'well-formed YAML'],
    ['agent: a\nagent: b', 'must stand once'],
    ['__proto__: {agent: x}', 'must not be used as a key'],
    ['agents: {x: {command: y, env: {__proto__: z}}}', 'must not be used as a key'],
    ['? [a]\n: 1', 'keys must be words'],
  ])('refuses %j', (text, rule) => {
    expect(refusalOf(() => parse(text)).message).toContain(rule);
  });

  it('names both places of a key in two spellings', () => {
    expect(faults('validation:\n  timeout: 15m\n  timeoutSeconds: 900')).toEqual([
      '3:3: validation.timeout is set here and at .sluice/config.yaml:2:3, in two spellings',
    ]);
    expect(faults('rounds: 0\nworkflow: {maxReviewLoops: 0}')[0]).toContain(
      'rounds is set here and at .sluice/config.yaml:1:1',
    );
    expect(faults('gates: {stages: []}\npolicies: {requireApprovalAtStages: []}')).toHaveLength(1);
  });

  it('places a fault inside a list at its entry', () => {
    expect(faults('validation:\n  commands:\n    - npm test\n    - 7')).toEqual(['4:7: validation.commands.1 is 7']);
  });

  it.each(['recovery: {push: refs}', 'limits: {hostLost: 15m}'])(
    'says that %s is not available in this version',
    (text) => {
      expect(refusalOf(() => parse(text)).message).toContain('is not available in this version');
    },
  );

  it('accepts the seed spelling', () => {
    const text = [
      'preset: vibestrate',
      'workflow: {maxReviewLoops: 0}',
      'policies: {requireApprovalAtStages: [fixing], unattendedApprovalTimeoutMs: 1500, approvalMaxChangeRounds: 4, defaultPermissionMode: ask}',
      'validation: {commands: [], timeoutSeconds: 900, onFailure: fix}',
      'landing: manual',
      'sandbox: off',
      'holdAtCompletion: false',
      'project: {runsDir: .vibestrate/runs}',
      'usageLimit: {action: wait, maxWaitMin: 1440, maxWaits: 2}',
    ].join('\n');

    const layer = parse(text);

    expect(valueIn(layer, 'validation.timeout')?.value).toBe(900_000);
    expect(valueIn(layer, 'rounds')?.value).toBe(0);
    expect(valueIn(layer, 'gates.stages')?.value).toEqual(['fixing']);
    expect(valueIn(layer, 'gates.unattendedExpire')?.value).toBe(1500);
    expect(valueIn(layer, 'gates.maxChangeRounds')?.value).toBe(4);
    expect(valueIn(layer, 'permissions')?.value).toBe('ask');
    expect(valueIn(layer, 'usageLimit.maxWait')?.value).toBe(86_400_000);
    expect(valueIn(layer, 'runsDir')).toEqual({ value: '.vibestrate/runs', place: '.sluice/config.yaml:8:11' });
  });

  it.each(['', '# nothing\n', 'agents:\nworktree:\n', '\ufeffagent: x', 'agent: x\r\nversion: 1\r\n'])(
    'accepts %j',
    (text) => {
      expect(() => parse(text)).not.toThrow();
    },
  );

  it('lets anchors repeat a few values', () => {
    const layer = parse('worktree: {setup: &cmds [npm ci]}\nvalidation: {commands: *cmds}');

    expect(valueIn(layer, 'validation.commands')?.value).toEqual(['npm ci']);
  });

  it('never shows values of env', () => {
    const { message } = refusalOf(() => parse('agents: {x: {command: y, env: {TOKEN: 12345678}}}'));

    expect(message).toContain('agents.x.env.TOKEN');
    expect(message).not.toContain('12345678');
  });

  it.each([
    ['agents:\n  - name: main\n    env: {TOKEN: 12345678}', 'agents is a list'],
    ['agents: {x: [{env: {TOKEN: 12345678}}]}', 'agents.x is a list'],
    ['- agents: {x: {env: {TOKEN: 12345678}}}', 'the content is a list'],
    ['agents: {x: "12345678"}', 'agents.x is a string'],
    ['agents: {x: {command: y, passEnv: [12345678]}}', 'agents.x.passEnv.0 is a value that is not shown'],
    ['agents: {x: {command: y, passEnv: sk-12345678}}', 'agents.x.passEnv is a value that is not shown'],
  ])('tells no more than the kind of what may hold a secret: %j', (text, found) => {
    const { message } = refusalOf(() => parse(text));

    expect(message).toContain(found);
    expect(message).not.toContain('12345678');
  });

  it('shows control and bidi characters as escapes', () => {
    const { message } = refusalOf(() => parse('"a\\u001b[2J\u202e": 1'));

    expect(message).toContain('\\u001b[2J\\u202e');
    expect(message.includes('\u001b') || message.includes('\u202e')).toBe(false);
  });
});

describe('a hostile config file', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((name, index) => {
      const before = 'abcdefg'[index];
      return `${name}: &${name} [${Array.from({ length: 8 }, () => `*${before}`).join()}]`;
    }),
  ].join('\n');

  it.each([
    ['rounds: &a [*a]', '1:13', '*a stands in the part'],
    ['stages: &s\n  executing:\n    instructions: *s\n', '3:19', '*s stands in the part'],
    ['gates: &a [[&b x, *a], *b]\nrounds: &a 2\n', '1:19', '*a stands in the part'],
  ])('that leads back to itself is refused with its place: %j', (text, place, found) => {
    const { message } = refusalOf(() => parse(text));

    expect(message).toContain(`:${place}: `);
    expect(message).toContain(found);
  });

  it('may repeat a part that it named before, also in the next part of that name', () => {
    expect(() =>
      parse('validation: {commands: &a [npm test]}\nworktree: {setup: &b [npm ci], copy: *b, link: *a}'),
    ).not.toThrow();
  });

  it.each([
    ['a YAML bomb', bomb, 'aliases that multiply'],
    ['5 MB', `# ${'x'.repeat(5_000_000)}`, `at most ${MAX_CONFIG_BYTES} bytes`],
  ])('is refused: %s', (_, text, rule) => {
    const { message } = refusalOf(() => parse(text));

    expect(message).toContain(rule);
    expect(message.length).toBeLessThan(4000);
  });

  it.each([
    ['open brackets', (bytes: number) => '['.repeat(bytes), 'nests too deeply'],
    ['open braces', (bytes: number) => '{'.repeat(bytes), 'nests too deeply'],
    ['nested lists', (bytes: number) => '- '.repeat(bytes / 2), 'nests too deeply'],
    [
      'thousands of keys',
      (bytes: number) => Array.from({ length: bytes / 10 }, (_, n) => `k${n}: 1`).join('\n'),
      'unknown key',
    ],
  ])('is refused at a cost that grows with its length: %s', (_, textOf, rule) => {
    expectLinearCost(200_000, (bytes) => {
      const { message } = refusalOf(() => parse(textOf(bytes)));

      expect(message).toContain(rule);
      expect(message.length).toBeLessThan(4000);
    });
  });
});

describe('policy of a start input', () => {
  const input = (value: unknown) => refusalOf(() => parseConfigValue('run input', value, 'policy'));

  it.each([
    [{ agents: { x: { command: 'y' } } }, 'policy.agents.x.command'],
    [{ validation: { commands: ['x'] } }, 'policy.validation.commands'],
    [{ validation: { baseFailures: 'ignore' } }, 'policy.validation.baseFailures'],
    [{ worktree: { setup: ['x'] } }, 'policy.worktree.setup'],
    [{ worktree: { copy: ['x'] } }, 'policy.worktree.copy'],
    [{ worktree: { link: ['x'] } }, 'policy.worktree.link'],
    [{ guardedPaths: [] }, 'policy.guardedPaths'],
    [{ runsDir: 'x' }, 'policy.runsDir'],
    [{ notify: ['desktop'] }, 'policy.notify'],
    [{ rounds: 21 }, 'policy.rounds'],
    [{ gates: ['landed'] }, 'policy.gates.0'],
    [{ landing: { attempts: 0 } }, 'policy.landing.attempts'],
    [{ budget: { run: { usd: 0 } } }, 'policy.budget.run.usd'],
    [{ limits: { turn: 5 } }, 'policy.limits.turn'],
    [{ preset: 'nope' }, 'preset'],
    [{ foo: 1 }, 'policy.foo'],
    [3, 'policy'],
    [JSON.parse('{"__proto__": {"agent": "x"}}'), 'policy'],
    [{ limits: JSON.parse('{"__proto__": 1}') }, 'policy'],
  ])('refuses %j as BadInput and names the field', (value, field) => {
    const error = input(value);

    expect(error.type).toBe('BadInput');
    expect(error.field).toBe(field);
  });
});

describe('executes', () => {
  it.each([
    ['agents: {a: {command: b}}', true],
    ['agents: {a: {env: {A: b}}}', true],
    ['validation: {commands: [x]}', true],
    ['worktree: {setup: [x]}', true],
    ['worktree: {link: [x]}', true],
    ['notify: [{webhook: "https://example.com/x"}]', true],
    ['validation: {timeout: 5m}\nagent: a\nguardedPaths: []\ngates: [executing]\nbudget: {run: {turns: 3}}', false],
  ])('of %j is %s', (text, expected) => {
    expect(executes(parse(text))).toBe(expected);
  });
});
