/** The keys of agents that are models without a CLI: what they need, where they may not work, and whose price is known. */
import { describe, expect, it } from '@jest/globals';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError, type Problem } from '../../../config/system/config-error.js';

const NAME = '.sluice/config.yaml';
const resolve = (text: string) => resolvePolicy({ project: { text, name: NAME, isTrusted: true } });

function problemsOf(text: string): readonly Problem[] {
  try {
    resolve(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('was accepted');
}

const agents = (judge: string) => `agent: bot\nagents:\n  bot: {adapter: scripted}\n  judge: {${judge}}\n`;
const JUDGE = 'adapter: model, provider: anthropic, model: claude-sonnet-4-5';
const reviewing = 'stages: {reviewing: {agent: judge}}\n';

describe('an agent that is a model', () => {
  it('has a provider, a model and, where it is asked elsewhere, an address', () => {
    const local =
      'adapter: model, provider: openai-compatible, model: meta/llama-4, baseUrl: "http://127.0.0.1:8000/v1/"';
    const { policy } = resolve(`${agents(local)}${reviewing}`);

    expect(policy.agents['judge']).toEqual({
      adapter: 'model',
      command: null,
      args: [],
      env: {},
      model: 'meta/llama-4',
      fallback: null,
      provider: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:8000/v1',
    });
    expect(policy.stagePolicies.reviewing.agent).toBe('judge');
  });

  it.each([
    ['adapter: model, model: m', 'agents.judge has no provider'],
    ['adapter: model, provider: openai', 'agents.judge has no model'],
    ['adapter: model, provider: openai-compatible, model: m', 'agents.judge has no baseUrl'],
    [`${JUDGE}, command: prog`, 'agents.judge.command is set'],
    [`${JUDGE}, args: [x]`, 'agents.judge.args is set'],
    [`${JUDGE}, configDir: /x`, 'agents.judge.configDir is set'],
    ['adapter: codex, provider: openai', 'agents.judge.provider is set'],
    ['adapter: codex, baseUrl: "http://127.0.0.1/v1"', 'agents.judge.baseUrl is set'],
  ])('is refused where the keys do not fit together: %s', (judge, found) => {
    expect(problemsOf(agents(judge))).toMatchObject([{ type: 'BadConfig', place: `${NAME}:4:11`, found }]);
  });

  it.each([
    'ftp://llm.example.com/v1',
    'llm.example.com/v1',
    'https://me:secret@llm.example.com/v1',
    'https://@llm.example.com/v1',
    'https://llm.example.com/v1?key=secret',
    'https://llm.example.com/v1#x',
    'https://llm example.com',
    'http://',
  ])('may not be asked at %s, which is not shown', (address) => {
    const [problem, ...others] = problemsOf(
      agents(`adapter: model, provider: openai, model: m, baseUrl: "${address}"`),
    );

    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      type: 'BadConfig',
      place: `${NAME}:4:64`,
      found: 'agents.judge.baseUrl is a value that is not shown',
    });
    expect(problem?.rule).toContain('must be an http or https address without credentials');
  });

  it('is of a known provider', () => {
    expect(problemsOf(agents('adapter: model, provider: other, model: m'))).toMatchObject([
      {
        place: `${NAME}:4:37`,
        found: 'agents.judge.provider is other',
        rule: 'must be one of anthropic, openai, openai-compatible',
      },
    ]);
  });
});

describe('a stage that writes', () => {
  it.each([
    ['by its own name', `${agents(JUDGE)}stages:\n  executing: {agent: judge}\n`, '6:15', 'stages.executing.agent'],
    [
      'by the general one',
      `${agents(JUDGE).replace('agent: bot', 'agent: judge')}stageList: express\n`,
      '1:1',
      'stages.executing.agent',
    ],
    ['as the only agent', `agents: {judge: {${JUDGE}}}\nstageList: express\n`, '1:18', 'stages.executing.agent'],
    ['as fallback', agents(JUDGE).replace('scripted', 'scripted, fallback: judge'), '3:28', 'agents.bot.fallback'],
  ])('is refused a model %s', (_how, text, at, key) => {
    const problems = problemsOf(text);

    expect(problems[0]).toMatchObject({ type: 'BadConfig', place: `${NAME}:${at}`, key });
    expect(problems[0]?.rule).toContain('executing changes files, and the adapter model only decides and writes text');
  });

  it.each([
    [
      'by its own name',
      `${agents(JUDGE)}stageList: express\nadmission: {order: [[classify, plan]]}\nasks: {plan: {agent: judge}}\n`,
      'asks.plan.agent',
    ],
    [
      'as fallback',
      `${agents(JUDGE).replace('scripted', 'scripted, fallback: judge')}stageList: plan-only\nadmission: {order: [[classify, plan]]}\n`,
      'agents.bot.fallback',
    ],
  ])('is not planned for by a model %s, which sees no file of the repository', (_how, text, key) => {
    expect(problemsOf(text)).toContainEqual(
      expect.objectContaining({ key, rule: expect.stringContaining('plan reads the repository') }),
    );
  });

  it('may name one where the run does not enter it', () => {
    expect(resolve(`agents: {judge: {${JUDGE}}}\nstageList: plan-only\n`).policy.stagePolicies.planning.agent).toBe(
      'judge',
    );
  });
});

describe('a limit of money with a model', () => {
  const budget = 'budget: {run: {usd: 3}}\n';

  it.each([
    'anthropic, model: claude-sonnet-4-5',
    'openai, model: gpt-5',
    'openai-compatible, model: mistral-large-latest, baseUrl: "https://api.mistral.ai/v1"',
  ])('is kept where its price is known: %s', (asked) => {
    expect(resolve(`${agents(`adapter: model, provider: ${asked}`)}${reviewing}${budget}`).policy.budget.microUsd).toBe(
      3_000_000,
    );
  });

  it.each([
    ['anthropic, model: claude-of-tomorrow', 'claude-of-tomorrow'],
    ['openai-compatible, model: gpt-5, baseUrl: "http://127.0.0.1:8000/v1"', 'gpt-5'],
  ])('is refused where nobody knows it: %s', (asked, model) => {
    expect(problemsOf(`${agents(`adapter: model, provider: ${asked}`)}${reviewing}${budget}`)).toMatchObject([
      {
        place: `${NAME}:6:16`,
        key: 'budget.run.usd',
        found: `budget.run.usd is set, and the agent judge asks the model ${model}`,
      },
    ]);
  });

  it('looks at the model that the stage names', () => {
    const text = `${agents(JUDGE)}stages: {reviewing: {agent: judge, model: claude-of-tomorrow}}\n${budget}`;

    expect(problemsOf(text)).toMatchObject([
      { found: expect.stringContaining('the agent judge asks the model claude-of-tomorrow') },
    ]);
  });
});
