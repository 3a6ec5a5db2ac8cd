/** The keys of agents that are coding CLIs: their program is known by name, their login may lie apart, and their tools are held to the stage. */
import { homedir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';

const NAME = '.sluice/config.yaml';
const resolve = (text: string, runInput?: Record<string, unknown>) =>
  resolvePolicy({
    project: { text, name: NAME, isTrusted: true },
    ...(runInput === undefined ? {} : { runInput: { policy: runInput } }),
  });

function refusal(...given: Parameters<typeof resolve>): string {
  try {
    resolve(...given);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

const CLI = 'agents: {main: {adapter: claude-code}}\n';

describe('an agent that is a coding CLI', () => {
  it.each(['claude-code', 'codex', 'opencode'])('needs no command: %s', (adapter) => {
    const { policy } = resolve(`agents: {main: {adapter: ${adapter}}}`);

    expect(policy.agents['main']).toEqual({ adapter, command: null, args: [], env: {}, model: null, fallback: null });
  });

  it('may have a folder of its own, so that two accounts have a name each', () => {
    const { policy } = resolve(
      'agent: a\nagents:\n  a: {adapter: codex, configDir: /accounts/a}\n  b: {adapter: codex, configDir: ~/b}\n',
    );

    expect([policy.agents['a']?.configDir, policy.agents['b']?.configDir]).toEqual(['/accounts/a', `${homedir()}/b`]);
  });

  it.each(['relative', '/a/../b', '//x', '~', '/'])('may not have the folder %s', (folder) => {
    expect(refusal(`agents: {main: {adapter: codex, configDir: ${folder}}}`)).toContain(
      'must be an absolute path, or one below ~/, without ..',
    );
  });

  it.each(['command', 'scripted'])('has a folder of its own, the adapter %s has none', (adapter) => {
    const command = adapter === 'command' ? ', command: prog' : '';
    expect(refusal(`agents: {main: {adapter: ${adapter}${command}, configDir: /x}}`)).toContain(
      'has no login of its own',
    );
  });
});

describe('an agent that speaks ACP', () => {
  it('needs a program', () => {
    expect(refusal('agents: {main: {adapter: acp}}')).toContain(
      'needs a program that speaks the Agent Client Protocol',
    );
    const { policy } = resolve('agents: {main: {adapter: acp, command: [gemini, --acp]}}');

    expect(policy.agents['main']).toMatchObject({ adapter: 'acp', command: ['gemini', '--acp'] });
  });

  it('may have a folder of its own where it is known how the program takes one', () => {
    const of = (command: string) => `agents: {main: {adapter: acp, command: ${command}, configDir: /x}}`;

    expect(resolve(of('/opt/bin/codex-acp')).policy.agents['main']?.configDir).toBe('/x');
    expect(refusal(of('[gemini, --acp]'))).toContain('known for claude-agent-acp and codex-acp alone');
    expect(refusal(of('robot'))).toContain('agents.main.configDir is set');
  });

  it('takes no limit of money, since most tell no cost', () => {
    expect(refusal('agents: {main: {adapter: acp, command: robot}}\nbudget: {run: {usd: 1}}\n')).toContain(
      'the adapter acp tells no cost',
    );
  });
});

describe('the tools of a stage', () => {
  it('are shown with their default, and where they come from', () => {
    const rows = explainConfig(resolve(`${CLI}stages: {fixing: {tools: edit}}\n`));
    const shown = (key: string) => rows.find((row) => row.key === key);

    expect(shown('stages.planning.tools')).toMatchObject({ text: 'read', origin: 'default' });
    expect(shown('stages.executing.tools')).toMatchObject({ text: 'run', origin: 'default' });
    expect(shown('stages.fixing.tools')).toMatchObject({ text: 'edit', origin: `${NAME}:2` });
  });

  it('can be lowered by the start of a run, and not raised', () => {
    const tools = (project: string, input: string) =>
      resolve(`${CLI}stages: {fixing: {tools: ${project}}}\n`, { stages: { fixing: { tools: input } } }).policy
        .stagePolicies.fixing.tools;

    expect([tools('run', 'edit'), tools('edit', 'run'), tools('edit', 'read')]).toEqual(['edit', 'edit', 'read']);
  });

  it('are never more than looking where the stage may not write', () => {
    expect(resolve(`${CLI}stages: {planning: {tools: read}}\n`).policy.stagePolicies.planning.tools).toBe('read');
    expect(refusal(`${CLI}stages: {planning: {tools: run}}\n`)).toContain(
      'must be read, since planning may change nothing',
    );
    expect(refusal(`${CLI}stages: {planning: {tools: run}}\n`)).toContain(`${NAME}:2:`);
    expect(refusal(CLI, { stages: { verifying: { tools: 'edit' } } })).toContain('policy.stages.verifying.tools');
  });

  it('are of three kinds', () => {
    expect(refusal(`${CLI}stages: {fixing: {tools: all}}\n`)).toContain('must be one of read, edit, run');
  });
});
