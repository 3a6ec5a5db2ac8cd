import { describe, expect, it } from '@jest/globals';
import { firstPrompt, type GatePrompt, pressKey, promptLine } from '../../../client/cli/gates/gate-prompt.js';
import { keysOf } from '../../../client/cli/terminal/keys.js';
import { MAX_NOTE_CHARS } from '../../../protocol/limits.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { aGate, aQuestion } from '../../support/gate-builder.js';

/** Each text is one read of the terminal. Answers the last step, and every effect. */
function type(gate: Gate, ...chunks: readonly string[]) {
  let prompt: GatePrompt = firstPrompt(gate);
  const effects: unknown[] = [];
  for (const key of chunks.flatMap(keysOf)) {
    const step = pressKey(prompt, gate, key);
    prompt = step.prompt;
    if (step.effect !== null) effects.push(step.effect);
  }
  return { prompt, effects };
}

const ENTER = '\r';
const ESCAPE = '\u001b';

describe('the keys at a gate', () => {
  it('approve with a', () => {
    expect(type(aGate(), 'a').effects).toEqual([{ kind: 'decide', decision: 'approve', note: null }]);
  });

  it.each([
    [['r', 'not ', 'so', ENTER], 'not so'],
    [['r', ENTER], null],
    [['r', 'no\rway\r'], 'no way'],
    [['r', 'ü', '\u007f', 'x', ENTER], 'x'],
    [['r', 'old', '\u0015', 'new', ENTER], 'new'],
  ])('reject by %j with the note %j', (chunks, note) => {
    expect(type(aGate(), ...chunks).effects).toEqual([{ kind: 'decide', decision: 'reject', note }]);
  });

  it('request changes with a text, and never without one', () => {
    expect(type(aGate(), 'm', ENTER).effects).toEqual([]);
    expect(type(aGate(), 'm', 'use a map', ENTER).effects).toEqual([
      { kind: 'decide', decision: 'request_changes', note: 'use a map' },
    ]);
  });

  it('offer no change request where nothing could make the change', () => {
    const gate = aGate({ changesGoTo: null });

    expect(type(gate, 'm').prompt).toEqual({ kind: 'choosing' });
    expect(promptLine({ kind: 'choosing' }, gate, [])).not.toContain('request changes');
    expect(promptLine({ kind: 'choosing' }, aGate(), [])).toContain('[m] request changes');
  });

  it.each([
    ['d', 'diff'],
    ['p', 'plan'],
    ['v', 'review'],
    ['c', 'checks'],
  ] as const)('show by %s the %s and decide nothing', (key, part) => {
    expect(type(aGate(), key)).toEqual({ prompt: { kind: 'choosing' }, effects: [{ kind: 'show', part }] });
    expect(promptLine({ kind: 'choosing' }, aGate(), [part])).toContain(`[${key}] ${part}`);
    expect(promptLine({ kind: 'choosing' }, aGate(), [])).not.toContain(`[${key}]`);
  });

  it('leave the gate open with s, until g', () => {
    expect(type(aGate(), 's', 'a')).toEqual({ prompt: { kind: 'left' }, effects: [] });
    expect(type(aGate(), 's', 'g').prompt).toEqual({ kind: 'choosing' });
  });

  it('take nothing more while a decision is sent', () => {
    expect(type(aGate(), 'a', 'a', 'r', ENTER).effects).toHaveLength(1);
  });

  it('send no approval to a question: what is typed is the answer', () => {
    expect(type(aQuestion(), 'a', ' port', ENTER).effects).toEqual([{ kind: 'answer', text: 'a port' }]);
    expect(type(aQuestion(), ENTER).effects).toEqual([]);
    expect(type(aQuestion(), ESCAPE, 'a', '80', ENTER).effects).toEqual([{ kind: 'answer', text: '80' }]);
  });

  it('go back with Esc', () => {
    expect(type(aGate(), 'r', 'x', ESCAPE)).toEqual({ prompt: { kind: 'choosing' }, effects: [] });
  });

  it.each([['\u001b[A'], ['\t'], ['\u0004'], ['x'], ['ar']])('mean nothing by %j', (chunk) => {
    expect(type(aGate(), chunk)).toEqual({ prompt: { kind: 'choosing' }, effects: [] });
  });

  it('take no longer text than a run takes', () => {
    const { prompt } = type(aGate(), 'r', 'x'.repeat(MAX_NOTE_CHARS + 1));

    expect(prompt).toMatchObject({ text: 'x'.repeat(MAX_NOTE_CHARS) });
  });
});
