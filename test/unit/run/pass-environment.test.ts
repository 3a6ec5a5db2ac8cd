import { describe, expect, it } from '@jest/globals';
import { withPassedEnvironment } from '../../../activities/opening/pass-environment.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../../config/resolve/run-policy.js';

const policyOf = (agents: string, rest = 'agent: main') =>
  resolvePolicy({ project: { text: `${rest}\nagents: {${agents}}`, name: 'config.yaml', isTrusted: true } }).policy;

const MAIN = 'main: {command: prog, env: {LANG: C}, passEnv: [MY_KEY]}';

describe('variables that an agent is passed', () => {
  it("are taken from the worker's environment, for that agent alone, and never reach the workflow", () => {
    const policy = policyOf(`${MAIN}, other: {command: prog}`);

    const passed = withPassedEnvironment(policy, { MY_KEY: 'secret', OTHER: 'x' });

    expect(passed.agents['main']?.env).toEqual({ LANG: 'C', MY_KEY: 'secret' });
    expect(passed.agents['other']?.env).toEqual({});
    expect(JSON.stringify(runPolicyOf(passed))).not.toContain('secret');
  });

  it('are taken anew where a rewound run took its policy over', () => {
    const before = withPassedEnvironment(policyOf(MAIN), { MY_KEY: 'old' });

    expect(withPassedEnvironment(before, { MY_KEY: 'new' }).agents['main']?.env['MY_KEY']).toBe('new');
  });

  it('refuse the run where the worker does not have one, unless nobody of the run needs it', () => {
    expect(() => withPassedEnvironment(policyOf(MAIN), {})).toThrow(
      /"main" is to be passed MY_KEY.*export MY_KEY=… && sluice up --restart/,
    );
    const spare = policyOf(`main: {command: prog, fallback: spare}, spare: {command: prog, passEnv: [MY_KEY]}`);
    expect(() => withPassedEnvironment(spare, {})).toThrow('"spare" is to be passed MY_KEY');
    expect(
      withPassedEnvironment(policyOf(`${MAIN}, idle: {command: prog}`, 'agent: idle'), {}).agents['idle']?.env,
    ).toEqual({});
  });

  it('refuse the run of which it is whoever judges the steps of a plan that needs one', () => {
    const steps = 'agent: main\nstageList: [executing]\nexecute: {until: steps, stepCheck: acceptance}\n';
    const judged = `${steps}stages: {verifying: {agent: judge}}`;
    const agents = 'main: {command: prog}, judge: {command: prog, passEnv: [MY_KEY]}';

    expect(() => withPassedEnvironment(policyOf(agents, judged), {})).toThrow('"judge" is to be passed MY_KEY');
    expect(() => withPassedEnvironment(policyOf(agents, judged.replace('acceptance', 'none')), {})).not.toThrow();
  });

  it.each([
    ['[SLUICE_TURN]', 'must be the name of an environment variable'],
    ['[TEMPORAL_API_KEY]', 'must be the name of an environment variable'],
    [
      '[GH_TOKEN]',
      'none of GH_TOKEN, GITHUB_TOKEN, GH_ENTERPRISE_TOKEN, GITHUB_ENTERPRISE_TOKEN, GITLAB_TOKEN, SSH_AUTH_SOCK',
    ],
    ['[GITHUB_TOKEN]', 'none of GH_TOKEN, GITHUB_TOKEN'],
    ['[GH_ENTERPRISE_TOKEN]', 'none of GH_TOKEN, GITHUB_TOKEN'],
    ['[GITHUB_ENTERPRISE_TOKEN]', 'none of GH_TOKEN, GITHUB_TOKEN'],
    ['[GITLAB_TOKEN]', 'none of GH_TOKEN, GITHUB_TOKEN'],
    ['[SSH_AUTH_SOCK]', 'none of GH_TOKEN, GITHUB_TOKEN'],
    ['[A=B]', 'must be the name of an environment variable'],
    ['[LANG]', 'a variable has one source'],
  ])('are not %s', (names, rule) => {
    expect(() => policyOf(`main: {command: prog, env: {LANG: C}, passEnv: ${names}}`)).toThrow(rule);
  });
});
