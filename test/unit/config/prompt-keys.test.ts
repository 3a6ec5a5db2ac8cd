/** What people may change about a stage's prompt: its template and the length of its context; and the larger model for turns that are too long. */
import { describe, expect, it } from '@jest/globals';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../../config/resolve/run-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';

const NAME = '.sluice/config.yaml';
const AGENT = 'agents: {main: {adapter: claude-code, model: small}}\n';
const resolve = (text: string, more: { readonly user?: string; readonly runInput?: Record<string, unknown> } = {}) =>
  resolvePolicy({
    project: { text, name: NAME, isTrusted: true },
    ...(more.user === undefined ? {} : { user: { text: more.user, name: 'user.yaml' } }),
    ...(more.runInput === undefined ? {} : { runInput: { policy: more.runInput } }),
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

describe('the template of a stage', () => {
  it('comes from the files, the project before the user, and is shown with its place', () => {
    const own = `${AGENT}stages:\n  fixing:\n    prompt: |\n      Repair it.\n\n      {{task}} {{ findings }}\n`;
    const resolved = resolve(own, { user: 'stages: {fixing: {prompt: mine}, planning: {prompt: mine}}\n' });
    const shown = (stage: string) => explainConfig(resolved).find(({ key }) => key === `stages.${stage}.prompt`);

    expect(resolved.policy.stagePolicies.fixing.prompt).toBe('Repair it.\n\n{{task}} {{ findings }}\n');
    expect(resolved.policy.stagePolicies.planning.prompt).toBe('mine');
    expect(shown('fixing')?.origin).toBe(`${NAME}:4`);
    expect(shown('planning')).toMatchObject({ text: 'mine', origin: 'user.yaml:1' });
    expect(shown('verifying')).toMatchObject({ text: 'none', origin: 'default' });
  });

  it('that names what is not known is refused at its place, with what is', () => {
    const message = refusal(`${AGENT}stages:\n  planning:\n    prompt: "{{task}} {{code}}"\n`);

    expect(message).toContain(`${NAME}:4:13: stages.planning.prompt is `);
    expect(message).toContain(
      'must not name {{code}}; placeholders are {{task}}, {{plan}}, {{architecture}}, {{change}}, {{validation}}',
    );
  });

  it.each([
    ['{{task}} {{ task }}', 'must name {{task}} once'],
    ['', 'must be a text of 1 to 16384 characters'],
    ['x'.repeat(16_385), 'must be a text of 1 to 16384 characters'],
    [`{{${' '.repeat(16_000)}`, null],
    ['a { b } {c} {{{}', null],
  ])('%.30s is refused where it breaks a rule (%s)', (prompt, rule) => {
    const text = `${AGENT}stages: {planning: {prompt: ${JSON.stringify(prompt)}}}\n`;

    if (rule === null) expect(resolve(text).policy.stagePolicies.planning.prompt).toBe(prompt);
    else expect(refusal(text)).toContain(rule);
  });

  it('never comes with the start of a run', () => {
    expect(refusal(AGENT, { runInput: { stages: { planning: { prompt: 'mine' } } } })).toContain(
      'comes from config files only',
    );
  });
});

describe('the context of a stage', () => {
  const bytes = (text: string, input?: string) =>
    resolve(`${AGENT}${text}`, input === undefined ? {} : { runInput: { stages: { fixing: { contextBytes: input } } } })
      .policy.stagePolicies.fixing.contextBytes;

  it('is what the files say, and less where the start of a run says so', () => {
    const written = 'stages: {fixing: {contextBytes: 1MB}}\n';

    expect([
      bytes(''),
      bytes(written),
      bytes(written, '64kB'),
      bytes(written, '2MB'),
      bytes('', '1MB'),
      bytes('', '64kB'),
    ]).toEqual([200_000, 1_000_000, 64_000, 1_000_000, 200_000, 64_000]);
  });

  it('is shown with its default', () => {
    const row = explainConfig(resolve(AGENT)).find(({ key }) => key === 'stages.fixing.contextBytes');

    expect(row).toMatchObject({ text: '200kB', origin: 'default' });
  });

  it.each(['31kB', '11MB', '-1'])('is not %s', (size) => {
    expect(refusal(`${AGENT}stages: {fixing: {contextBytes: ${size}}}\n`)).toContain(
      'must be a size from 32kB to 10MB',
    );
  });
});

describe('the larger model of an agent', () => {
  it('is what its run knows of it', () => {
    const { policy } = resolve('agents: {main: {adapter: claude-code, model: small, extendedModel: large}}\n');

    expect(policy.agents['main']?.extendedModel).toBe('large');
    expect(runPolicyOf(policy).agentOf.planning).toMatchObject({ model: 'small', extendedModel: 'large' });
    expect(runPolicyOf(resolve(AGENT).policy).agentOf.planning?.extendedModel).toBeNull();
  });
});
