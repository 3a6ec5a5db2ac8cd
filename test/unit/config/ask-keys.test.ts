/** Who is asked about a task, by which model and for how long, where a config says nothing of it or only a part. Source: S-17, S-23. */
import { describe, expect, it } from '@jest/globals';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';

const TWO = 'agent: main\nagents:\n  main: {adapter: claude-code, model: opus}\n  spare: {adapter: codex}\n';

function asksOf(text: string) {
  const { asks } = resolvePolicy({
    project: { text: TWO + text, name: '.sluice/config.yaml', isTrusted: true },
  }).policy;
  return { dedup: asks.dedup, classify: asks.classify, plan: asks.plan };
}

describe('who is asked about a task', () => {
  it('judges and compares by the cheap model, plans by its own, and compares within a minute', () => {
    const { dedup, classify, plan } = asksOf('');

    expect([dedup.model, classify.model, plan.model]).toEqual(['haiku', 'haiku', 'opus']);
    expect([dedup.timeoutMs, classify.timeoutMs, plan.timeoutMs]).toEqual([60_000, 180_000, 180_000]);
  });

  it('S-17: compares by the model of the classifier, unless that is another agent or somebody names one', () => {
    const classifier = 'asks:\n  classify: {model: sonnet}\n';

    expect(asksOf(classifier).dedup.model).toBe('sonnet');
    expect(asksOf(`${classifier}  dedup: {model: haiku}\n`).dedup.model).toBe('haiku');
    expect(asksOf(`${classifier}  dedup: {agent: spare}\n`).dedup).toMatchObject({ agent: 'spare', model: null });
    expect(asksOf('asks:\n  dedup: {timeout: 10s}\n').dedup.timeoutMs).toBe(10_000);
  });
});
