/** How run input, project, user, preset and defaults become one policy, and where each value comes from. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration } from '../../../config/keys/duration.js';
import { DEFAULT_GUARDED_PATHS } from '../../../config/keys/guarded-paths.js';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { type PolicySources, resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../../config/resolve/run-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { STAGES } from '../../../protocol/run/stages.js';

const PROJECT = '.sluice/config.yaml';
const USER = '~/.config/sluice/config.yaml';
const AGENT = 'agents: {main: {command: [prog, --fast]}}';

function resolve(sources: {
  project?: string;
  user?: string;
  input?: PolicySources['runInput'];
  stored?: readonly [string, ...string[]];
}) {
  const { project, user, input, stored } = sources;
  return resolvePolicy({
    ...(project === undefined ? {} : { project: { text: project, name: PROJECT, isTrusted: true } }),
    ...(user === undefined ? {} : { user: { text: user, name: USER } }),
    ...(input === undefined ? {} : { runInput: input }),
    ...(stored === undefined ? {} : { storedCommand: stored }),
  });
}

function refusalOf(sources: Parameters<typeof resolve>[0]): ConfigError {
  try {
    resolve(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('a policy without any setting but an agent', () => {
  it('has the defaults of the design', () => {
    const { policy } = resolve({ user: AGENT });

    expect(policy).toMatchObject({
      version: 1,
      preset: 'default',
      stageList: 'full',
      stages: STAGES,
      agents: {
        main: { adapter: 'command', command: ['prog', '--fast'], args: [], env: {}, model: null, fallback: null },
      },
      worktree: { setup: [], copy: [], link: [], setupTimeoutMs: 900_000 },
      checks: { validation: { commands: [], timeoutMs: 900_000, baseFailures: 'fix', onFailure: 'fix' } },
      rounds: 2,
      gates: {
        stages: [],
        maxChangeRounds: 3,
        remindMs: null,
        escalateMs: null,
        expireMs: null,
        unattendedExpireMs: 0,
      },
      attended: null,
      holdAtCompletion: false,
      permissions: 'auto',
      budget: { turns: null, minutes: null, microUsd: null, tokens: null, onLimit: 'stop', day: null },
      usageLimit: { action: 'wait', maxWaitMs: 86_400_000, maxWaits: 2 },
      notify: [{ kind: 'desktop' }],
      guardedPaths: DEFAULT_GUARDED_PATHS,
      block: [],
      limits: {
        turnMs: 3_600_000,
        stallMs: 600_000,
        killGraceMs: 3000,
        heartbeatMs: 10_000,
        outputBytes: 200_000_000,
      },
      runsDir: '.sluice/runs',
      durability: 'process',
    });
    expect(policy.stagePolicies.verifying).toEqual({
      agent: 'main',
      model: null,
      effort: null,
      timeoutMs: 3_600_000,
      instructions: null,
      prompt: null,
      tools: 'read',
      contextBytes: 200_000,
    });
  });

  it('survives JSON unchanged and gives the workflow its part', () => {
    const { policy } = resolve({ user: AGENT });

    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy);
    expect(runPolicyOf(policy)).toMatchObject({
      agentOf: { planning: { agent: 'main', adapter: 'command', timeoutMs: 3_600_000, fallback: null } },
      rounds: 2,
      sinks: [],
    });
  });

  it('is the same under the presets default and vibestrate', () => {
    const named = resolve({ user: AGENT, input: { preset: 'vibestrate' } });

    expect({ ...named.policy, preset: 'default' }).toEqual(resolve({ user: AGENT }).policy);
    expect(named.values['preset']?.origin).toBe('run input');
    expect(named.values['stageList']?.origin).toBe('preset vibestrate');
  });
});

describe('precedence', () => {
  it('is run input, project, user, preset, default', () => {
    const layers = {
      input: { policy: { stageList: ['executing'] } },
      project: `${AGENT}\nstageList: express`,
      user: 'stageList: [planning, executing]',
    };
    const { input: _i, ...files } = layers;
    const { project: _p, ...user } = files;

    expect(
      [resolve(layers), resolve(files)].map(({ policy, values }) => [policy.stageList, values['stageList']?.origin]),
    ).toEqual([
      ['custom', 'run input'],
      ['express', `${PROJECT}:2`],
    ]);
    expect(resolve({ user: `${AGENT}\n${user.user}` }).values['stageList']?.origin).toBe(`${USER}:2`);
  });

  it('takes an agent whole from the highest file that defines it', () => {
    const { policy, values } = resolve({
      project: 'agents: {main: {command: a}}',
      user: 'agents: {main: {command: b, args: [x], env: {K: v}}, other: {command: c}}\nagent: other',
    });

    expect(policy.agents['main']).toEqual({
      adapter: 'command',
      command: ['a'],
      args: [],
      env: {},
      model: null,
      fallback: null,
    });
    expect(Object.keys(policy.agents)).toEqual(['main', 'other']);
    expect(values['agents.main']?.origin).toBe(`${PROJECT}:1`);
  });

  it('adds up the guarded paths and block rules of both files', () => {
    const { policy, values } = resolve({
      project: `${AGENT}\nguardedPaths: [a, b]\nblock: [/x/]`,
      user: 'guardedPaths: [b, c]',
    });

    expect(policy.guardedPaths).toEqual(['a', 'b', 'c']);
    expect(policy.block).toEqual(['/x/']);
    expect(values['guardedPaths']?.origin).toBe(`${PROJECT}:2 + ${USER}:1`);
  });
});

describe('limits', () => {
  const duration = fc.option(fc.integer({ min: 1000, max: 86_400_000 }), { nil: null });
  const written = (ms: number | null) => (ms === null ? '' : `limits: {turn: ${formatDuration(ms)}}`);
  const asInput = (ms: number | null) => (ms === null ? {} : { limits: { turn: formatDuration(ms) } });

  it('are the strictest of the files, lowered and never raised by run input', () => {
    fc.assert(
      fc.property(fc.tuple(duration, duration, duration), ([input, project, user]) => {
        const { policy } = resolve({
          input: { policy: asInput(input) },
          project: `${AGENT}\n${written(project)}`,
          user: written(user),
        });

        const files = [project, user].filter((ms) => ms !== null);
        const base = files.length === 0 ? 3_600_000 : Math.min(...files);
        expect(policy.limits.turnMs).toBe(Math.min(base, input ?? base));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a stage may have more than the default', 'stages: {executing: {timeout: 2h}}', {}, 7_200_000],
    ['a written limit holds over the stage', 'stages: {executing: {timeout: 2h}}\nlimits: {turn: 30m}', {}, 1_800_000],
    ['run input lowers all stages', 'stages: {executing: {timeout: 2h}}', { limits: { turn: '5m' } }, 300_000],
    ['run input lowers one stage', '', { stages: { executing: { timeout: '5m' } } }, 300_000],
    ['run input raises nothing', '', { stages: { executing: { timeout: '9h' } } }, 3_600_000],
  ])('of a stage: %s', (...[, project, policy, expected]) => {
    expect(
      resolve({ project: `${AGENT}\n${project}`, input: { policy } }).policy.stagePolicies.executing.timeoutMs,
    ).toBe(expected);
  });
});

describe('agents of stages', () => {
  const six = STAGES.filter((stage) => stage !== 'validating');

  it('may differ in each of the six stages, with model, effort and instructions', () => {
    const agents = six.map((stage) => `  ${stage}-agent: {command: x}`).join('\n');
    const stages = six
      .map((stage) => `  ${stage}: {agent: ${stage}-agent, model: m-${stage}, effort: high, instructions: do ${stage}}`)
      .join('\n');

    const { policy } = resolve({ project: `agents:\n${agents}\nstages:\n${stages}` });

    for (const stage of six) {
      expect(policy.stagePolicies[stage]).toMatchObject({
        agent: `${stage}-agent`,
        model: `m-${stage}`,
        effort: 'high',
        instructions: `do ${stage}`,
      });
    }
  });

  it('are all replaced by an agent of the run input, without the model meant for another', () => {
    const { policy, values } = resolve({
      project: 'agents: {a: {command: x}}\nstages: {executing: {agent: a, model: opus}}',
      input: { policy: { agent: 'command' } },
      stored: ['/bin/prog', '-x'],
    });

    expect(policy.agents['command']?.command).toEqual(['/bin/prog', '-x']);
    expect(policy.stagePolicies.executing).toMatchObject({ agent: 'command', model: null });
    expect(values['stages.executing.agent']?.origin).toBe('run input');
  });

  it('fall back to a stored command where the input names no agent', () => {
    expect(resolve({ stored: ['prog'] }).policy.stagePolicies.planning.agent).toBe('command');
  });

  it.each([
    [{}, 'no agent is configured and none is named'],
    [{ user: 'agents: {a: {command: x}, b: {command: y}}' }, 'several agents are configured (a, b) and none is named'],
    [{ user: `${AGENT}\nagent: nobody` }, 'must be an agent of agents: main'],
    [{ user: AGENT, input: { policy: { agent: 'constructor' } } }, 'agent is constructor'],
  ])('are missed with BadAgent: %j', (sources, rule) => {
    const error = refusalOf(sources);

    expect(error.type).toBe('BadAgent');
    expect(error.message).toContain(rule);
    expect(error.message).toContain('--agent command --');
    expect(error.message).toContain('sluice init');
  });

  it.each([
    ['agents: {a: {args: [x]}}', 'has no command'],
    ['agents: {a: {adapter: scripted, command: x}}', 'remove command'],
  ])('must be whole: %s', (project, rule) => {
    expect(refusalOf({ project })).toMatchObject({ type: 'BadConfig', message: expect.stringContaining(rule) });
  });
});

describe('a refused policy', () => {
  it('names the problems of every source at once', () => {
    const { problems, type } = refusalOf({
      project: 'foo: 1',
      user: 'bar: 2',
      input: { policy: { agents: {}, baz: 3 } },
    });

    expect(type).toBe('BadConfig');
    expect(problems.map(({ key }) => key)).toEqual(['policy.baz', 'foo', 'bar']);
  });

  it('refuses two different presets in one start input', () => {
    expect(refusalOf({ user: AGENT, input: { preset: 'default', policy: { preset: 'vibestrate' } } })).toMatchObject({
      type: 'BadInput',
      field: 'preset',
    });
  });
});

describe('explainConfig', () => {
  it('has one row a key, with value and origin, and hides values of env', () => {
    const project = 'agents: {a: {command: x, env: {TOKEN: hunter2}}}\nvalidation: {timeoutSeconds: 60}';

    const rows = explainConfig(resolve({ project, user: 'slots: 7' }));

    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(rows).toContainEqual({ key: 'validation.timeout', value: '1m', text: '1m', origin: `${PROJECT}:2` });
    expect(rows).toContainEqual({ key: 'slots', value: 7, text: '7', origin: `${USER}:1` });
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    expect(rows.every(({ origin }) => origin !== '')).toBe(true);
  });
});
