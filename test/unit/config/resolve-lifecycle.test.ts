/** How layers meet for rounds, gates, permissions, budgets and sinks, and what is refused because it would have no effect. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { type ResolvedPolicy, resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../../config/resolve/run-policy.js';
import { ConfigError, type Problem } from '../../../config/system/config-error.js';
import { LISTED_GATES } from '../../../protocol/run/gate.js';
import { PERMISSION_MODES } from '../../../protocol/run/policy.js';

const PROJECT = '.sluice/config.yaml';
const USER = '~/.config/sluice/config.yaml';

interface Texts {
  readonly input?: Record<string, unknown>;
  readonly project?: string;
  readonly user?: string;
  /** The agent `main` of the project; by default one that tells its cost. */
  readonly agent?: string;
}

function resolve({ input = {}, project = '', user = '', agent = 'adapter: scripted' }: Texts): ResolvedPolicy {
  return resolvePolicy({
    runInput: { policy: input },
    project: {
      text: `agents: {main: {${agent}}, spare: {adapter: scripted}}\nagent: main\n${project}`,
      name: PROJECT,
      isTrusted: true,
    },
    user: { text: user, name: USER },
  });
}

function problemsOf(texts: Texts): readonly Problem[] {
  try {
    resolve(texts);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('was accepted');
}

describe('rounds', () => {
  it("are what the start of the run says, before the project's, before the preset's", () => {
    const start = resolve({ input: { rounds: 5 }, project: 'workflow: {maxReviewLoops: 1}' });
    const file = resolve({ project: 'workflow: {maxReviewLoops: 1}' });
    const preset = resolve({});

    expect([start, file, preset].map(({ policy, values }) => [policy.rounds, values['rounds']?.origin])).toEqual([
      [5, 'run input'],
      [1, `${PROJECT}:3`],
      [2, 'preset default'],
    ]);
    expect(resolve({ project: 'rounds: 4', user: 'rounds: 1' }).policy.rounds).toBe(4);
  });

  it('are none for the workflow where the stage list has no fixing', () => {
    const { policy } = resolve({ project: 'stageList: express\nrounds: 3' });

    expect([policy.rounds, runPolicyOf(policy).rounds]).toEqual([3, 0]);
  });
});

describe('gates', () => {
  it('of all layers add up, in the order of the stages', () => {
    const { policy, values } = resolve({
      input: { gates: { stages: ['verifying', 'executing'] } },
      project: 'gates: [planning, executing]',
      user: 'gates: [fixing]',
    });

    expect(policy.gates.stages).toEqual(['planning', 'executing', 'fixing', 'verifying']);
    expect(values['gates.stages']?.origin).toBe(`run input + ${PROJECT}:3 + ${USER}:1`);
  });

  it('of the files are never removed by a start input', () => {
    const list = fc.subarray([...LISTED_GATES]);
    fc.assert(
      fc.property(fc.tuple(list, list, list), ([input, project, user]) => {
        const written = (stages: readonly string[]) => `gates: [${stages.join()}]`;

        const { policy } = resolve({ input: { gates: input }, project: written(project), user: written(user) });

        expect(policy.gates.stages).toEqual(
          LISTED_GATES.filter((stage) => [...input, ...project, ...user].includes(stage)),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('have their times from the highest layer, and the strictest count of changes', () => {
    const { policy } = resolve({
      input: { gates: { expire: '30d', unattendedExpire: '8h', maxChangeRounds: 9 } },
      project: 'gates: {remind: 1d, escalate: off, expire: never, maxChangeRounds: 5}',
      user: 'gates: {escalate: 2d}',
    });

    expect(policy.gates).toEqual({
      stages: [],
      maxChangeRounds: 5,
      remindMs: 86_400_000,
      escalateMs: null,
      expireMs: 2_592_000_000,
      unattendedExpireMs: 28_800_000,
    });
    expect(
      resolve({ input: { gates: { maxChangeRounds: 0 } }, project: 'gates: {maxChangeRounds: 5}' }).policy.gates
        .maxChangeRounds,
    ).toBe(0);
  });

  it('at a stage outside the list are an error beside or above that list', () => {
    expect(problemsOf({ project: 'stageList: express\ngates: [executing, planning, fixing]' })).toMatchObject([
      {
        type: 'BadConfig',
        place: `${PROJECT}:4:1`,
        key: 'gates.stages',
        found: `gates.stages has planning, fixing, and the stage list is executing, validating, reviewing, verifying (${PROJECT}:3)`,
      },
    ]);
    expect(problemsOf({ project: 'gates: [planning]', user: 'stageList: express' })).toMatchObject([
      { place: `${PROJECT}:3:1` },
    ]);
    expect(problemsOf({ input: { gates: ['planning'] }, project: 'stageList: express' })).toMatchObject([
      { type: 'BadInput', place: 'run input: policy.gates.stages', key: 'policy.gates.stages' },
    ]);
  });

  it('at landing are listed last, and an error where nothing lands', () => {
    expect(resolve({ project: 'gates: [landing, planning]' }).policy.gates.stages).toEqual(['planning', 'landing']);
    expect(problemsOf({ project: 'gates: [landing]', user: 'landing: off' })).toMatchObject([
      { place: `${PROJECT}:3:1`, found: 'gates.stages has landing, and landing.mode is off' },
    ]);
  });

  it('at such a stage are no error where a higher layer chose the list', () => {
    const { policy } = resolve({
      input: { stageList: 'plan-only' },
      project: 'stageList: express\ngates: [executing, verifying]',
    });

    expect(policy.stages).toEqual(['planning']);
    expect(policy.gates.stages).toEqual(['executing', 'verifying']);
  });
});

describe('where something lands', () => {
  const FORGE = 'forge: {repo: owner/name}';

  it('is a pull request where there is a forge, and else a person says so', () => {
    const modes = [resolve({}), resolve({ project: FORGE }), resolve({ user: FORGE })];

    expect(modes.map(({ policy, values }) => [policy.landing.mode, values['landing.mode']?.origin])).toEqual([
      ['manual', 'default'],
      ['pr', 'default'],
      ['pr', 'default'],
    ]);
  });

  it.each(['off', 'watch', 'manual', 'auto'])('is what a file says, whatever there is: %s', (mode) => {
    expect(resolve({ project: `${FORGE}\nlanding: ${mode}` }).policy.landing.mode).toBe(mode);
    expect(resolve({ project: `landing: ${mode}` }).policy.landing.mode).toBe(mode);
  });

  it('is no looser for a start that says so', () => {
    expect(resolve({ input: { landing: 'auto' }, project: FORGE }).policy.landing.mode).toBe('pr');
    expect(resolve({ input: { landing: 'pr' } }).policy.landing.mode).toBe('manual');
    expect(resolve({ input: { landing: 'manual' }, project: FORGE }).policy.landing.mode).toBe('manual');
  });

  it('is an error where a pull request has no forge, with the line and what mends it', () => {
    expect(problemsOf({ project: 'landing: pr' })).toMatchObject([
      {
        type: 'BadConfig',
        place: `${PROJECT}:3:1`,
        key: 'landing.mode',
        found: 'landing.mode is pr, and there is no forge.repo',
        rule: expect.stringContaining('forge.repo: owner/name'),
      },
    ]);
    expect(problemsOf({ input: { landing: 'pr' }, user: 'landing: auto' })).toMatchObject([
      { type: 'BadInput', key: 'policy.landing.mode' },
    ]);
    expect(resolve({ project: 'landing: manual', user: 'landing: pr' }).policy.landing.mode).toBe('manual');
  });
});

describe('what may only become stricter', () => {
  const mode = fc.option(fc.constantFrom(...PERMISSION_MODES), { nil: null });
  const rank = (value: (typeof PERMISSION_MODES)[number]) => PERMISSION_MODES.indexOf(value);

  it('is the permission mode: the strictest of the files, and stricter still by start input', () => {
    fc.assert(
      fc.property(fc.tuple(mode, mode, mode), ([input, project, user]) => {
        const { policy } = resolve({
          input: input === null ? {} : { permissions: input },
          project: project === null ? '' : `permissions: ${project}`,
          user: user === null ? '' : `policies: {defaultPermissionMode: ${user}}`,
        });

        const written = [input, project, user].filter((value) => value !== null);
        expect(rank(policy.permissions)).toBe(Math.min(rank('auto'), ...written.map(rank)));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [true, 'false', true],
    [false, 'true', true],
    [false, 'false', false],
  ])('is the hold at completion: input %s and file %s make %s', (input, project, expected) => {
    const { policy } = resolve({ input: { holdAtCompletion: input }, project: `holdAtCompletion: ${project}` });

    expect(policy.holdAtCompletion).toBe(expected);
  });

  it('is a budget, also where only the start of the run has one', () => {
    const number = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: null });
    fc.assert(
      fc.property(fc.tuple(number, number, number), ([input, project, user]) => {
        const inYaml = (value: number | null) =>
          value === null ? '' : `budget: {run: {turns: ${value}, minutes: ${value}, usd: ${value}}}`;

        const { policy } = resolve({
          input: input === null ? {} : { budget: { run: { turns: input, minutes: input, usd: input } } },
          project: inYaml(project),
          user: inYaml(user),
        });

        const written = [input, project, user].filter((value) => value !== null);
        const least = written.length === 0 ? null : Math.min(...written);
        const microUsd = least === null ? null : least * 1_000_000;
        expect(policy.budget).toEqual({
          turns: least,
          minutes: least,
          microUsd,
          tokens: null,
          onLimit: 'stop',
          day: null,
        });
      }),
      { numRuns: 60 },
    );
  });

  it('is a budget of the day, and a run without one has none to ask about', () => {
    const { policy } = resolve({
      input: { budget: { day: { turns: 50, usd: 9 } } },
      project: 'budget: {day: {turns: 20, minutes: 1.5, usd: 12.5}, run: {turns: 3}}',
    });

    expect(policy.budget).toEqual({
      turns: 3,
      minutes: null,
      microUsd: null,
      tokens: null,
      onLimit: 'stop',
      day: { turns: 20, minutes: 1.5, microUsd: 9_000_000, tokens: null },
    });
    expect(runPolicyOf(resolve({ project: 'budget: {run: {turns: 3}}' }).policy).budget.day).toBeNull();
  });

  it('is the wait for a usage limit', () => {
    const { policy } = resolve({
      input: { usageLimit: { maxWait: '2d', maxWaits: 1, action: 'stop' } },
      project: 'usageLimit: {maxWaitMin: 60, maxWaits: 5, action: fallback}',
    });

    expect(policy.usageLimit).toEqual({ action: 'stop', maxWaitMs: 3_600_000, maxWaits: 1 });
  });
});

describe('a limit of money', () => {
  const budget = 'budget: {run: {usd: 3}}';
  const rule = 'the adapter command tells no cost, so a limit of money would never be reached';

  it('is refused where an agent of the run tells no cost', () => {
    expect(problemsOf({ project: budget, agent: 'command: prog' })).toMatchObject([
      {
        type: 'BadConfig',
        place: `${PROJECT}:3:16`,
        key: 'budget.run.usd',
        found: expect.stringContaining('the agent main'),
        rule,
      },
    ]);
    expect(problemsOf({ project: budget.replace('run', 'day'), agent: 'command: prog' })).toMatchObject([
      {
        place: `${PROJECT}:3:16`,
        key: 'budget.day.usd',
        found: expect.stringContaining('budget.day.usd is set, and the agent main'),
        rule,
      },
    ]);
    expect(problemsOf({ project: budget, agent: 'adapter: codex' })).toMatchObject([
      { rule: rule.replace('command', 'codex') },
    ]);
    expect(resolve({ project: budget, agent: 'adapter: claude-code' }).policy.budget.microUsd).toBe(3_000_000);
    expect(problemsOf({ input: { budget: { run: { usd: 3 } } }, agent: 'command: prog' })).toMatchObject([
      { type: 'BadInput', key: 'policy.budget.run.usd', rule },
    ]);
    expect(
      problemsOf({
        project: budget,
        agent: 'adapter: scripted, fallback: mute',
        user: 'agents: {mute: {command: prog}}',
      }),
    ).toMatchObject([{ found: expect.stringContaining('the agent mute'), rule }]);
  });

  it('is accepted where only stages outside the list have such an agent', () => {
    const project = `${budget}\nstageList: express\nstages: {planning: {agent: mute}}`;

    expect(resolve({ project, user: 'agents: {mute: {command: prog}}' }).policy.budget.microUsd).toBe(3_000_000);
    expect(
      problemsOf({ project: project.replace('planning', 'executing'), user: 'agents: {mute: {command: prog}}' }),
    ).toHaveLength(1);
  });
});

describe('the fallback of an agent', () => {
  it('is another agent, of any file, and one hop far for the workflow', () => {
    const { policy } = resolve({
      agent: 'adapter: scripted, fallback: other',
      user: 'agents: {other: {command: x, fallback: spare}}',
    });

    expect(policy.agents['main']?.fallback).toBe('other');
    expect(runPolicyOf(policy).agentOf.executing?.fallback).toBe('other');
  });

  it.each(['nobody', 'main', 'constructor'])('is never %s', (name) => {
    expect(problemsOf({ agent: `adapter: scripted, fallback: ${name}` })).toMatchObject([
      {
        type: 'BadConfig',
        place: `${PROJECT}:1:36`,
        key: 'agents.main.fallback',
        found: `agents.main.fallback is ${name}`,
        rule: 'must be another agent of agents: spare',
      },
    ]);
  });
});

describe('sinks', () => {
  it('come from the highest file, and the workflow knows only what the host delivers to', () => {
    const { policy } = resolve({
      project: 'notify: [desktop, {command: tell}, {webhook: "https://example.com"}]',
      user: 'notify: []',
    });

    expect(policy.notify).toHaveLength(3);
    expect(runPolicyOf(policy).sinks).toEqual(['command', 'webhook']);
  });
});

describe('sluice config', () => {
  it('shows the new values as a file would write them, without the path of a webhook', () => {
    const project = [
      'gates: {stages: [executing], expire: 30d, unattendedExpire: 1h}',
      'budget: {run: {usd: 2.5}, day: {usd: 40}}',
      'attended: false',
      'notify: [desktop, {webhook: "https://example.com/s3cr3t", secretEnv: HOOK}, {webhook: "https://example.com"}]',
    ].join('\n');

    const rows = explainConfig(resolve({ project }));

    const shown = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    expect(shown).toMatchObject({
      rounds: 2,
      'validation.onFailure': 'fix',
      'gates.stages': ['executing'],
      'gates.maxChangeRounds': 3,
      'gates.remind': 'off',
      'gates.escalate': 'off',
      'gates.expire': '30d',
      'gates.unattendedExpire': '1h',
      attended: false,
      holdAtCompletion: false,
      permissions: 'auto',
      'budget.run.turns': null,
      'budget.run.minutes': null,
      'budget.run.usd': 2.5,
      'budget.day.turns': null,
      'budget.day.usd': 40,
      'budget.onLimit': 'stop',
      'usageLimit.action': 'wait',
      'usageLimit.maxWait': '1d',
      'usageLimit.maxWaits': 2,
      notify: [
        'desktop',
        { webhook: 'https://example.com/(not shown)', secretEnv: 'HOOK' },
        { webhook: 'https://example.com' },
      ],
      'agents.main': { fallback: null },
    });
    expect(rows.find(({ key }) => key === 'gates.expire')?.origin).toBe(`${PROJECT}:3`);
    expect(JSON.stringify(rows)).not.toContain('s3cr3t');
  });
});
