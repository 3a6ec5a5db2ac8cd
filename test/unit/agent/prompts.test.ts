import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDecision } from '../../../activities/agent/decision-line.js';
import { composePrompt, MAX_PROMPT_BYTES } from '../../../activities/agent/prompts/compose-prompt.js';
import type { PromptInput } from '../../../activities/agent/prompts/prompt-input.js';
import type { CommandResult, ValidationReport } from '../../../protocol/outcomes.js';

const CODE = 'ab12cd34';

function aResult(given: Partial<CommandResult>): CommandResult {
  return {
    command: 'npm test',
    exitCode: 0,
    status: 'passed',
    timedOut: false,
    failedOnBase: false,
    durationMs: 5,
    stdoutPath: 'validation/0-1.stdout.txt',
    stderrPath: 'validation/0-1.stderr.txt',
    ...given,
  };
}

const VALIDATION: ValidationReport = {
  round: 0,
  commit: 'b'.repeat(40),
  tree: 'c'.repeat(40),
  commands: [
    aResult({ command: 'npm run lint' }),
    aResult({ exitCode: 1, status: 'failed' }),
    aResult({ command: 'npm run e2e', exitCode: 1, status: 'failed', failedOnBase: true, timedOut: true }),
    aResult({ command: 'cargo test', exitCode: 127, status: 'environment' }),
  ],
  summary: { total: 4, passed: 1, failed: 2, environment: 1 },
  treeChanged: true,
  note: null,
};

function anInput(given: Partial<PromptInput>): PromptInput {
  return {
    stage: 'planning',
    ask: 'work',
    task: 'Fix the prototype pollution in setKey.\nKeep the API.',
    title: 'Fix the prototype pollution',
    round: 0,
    decisionCode: CODE,
    baseSha: 'a'.repeat(40),
    head: 'b'.repeat(40),
    branch: 'sluice/demo-261121-abcd',
    plan: null,
    architecture: null,
    validation: null,
    validationOutput: [],
    review: null,
    instructions: null,
    previousOutput: null,
    ...given,
  };
}

const PLAN = { plan: '1. Guard the key `__proto__`.\n2. Test it.' };
const DESIGN = { ...PLAN, architecture: 'One check in setKey.' };
const CHECKED = {
  ...DESIGN,
  validation: VALIDATION,
  validationOutput: [
    { stdout: 'lint is fine', stderr: '' },
    { stdout: 'not ok 3 setKey', stderr: 'AssertionError' },
  ],
};

const CASES: readonly (readonly [string, PromptInput])[] = [
  ['planning', anInput({ instructions: 'Plan for Node 20.' })],
  ['architecting', anInput({ stage: 'architecting', ...PLAN })],
  ['executing', anInput({ stage: 'executing', ...DESIGN })],
  ['reviewing', anInput({ stage: 'reviewing', ...CHECKED })],
  ['fixing', anInput({ stage: 'fixing', round: 1, ...CHECKED, review: '### F1 (high, security)\nArrays are not guarded.' })],
  ['verifying', anInput({ stage: 'verifying', ...CHECKED, review: 'No findings.' })],
  ['decision-again', anInput({ stage: 'reviewing', ask: 'decision', previousOutput: 'Looks good to me.\n</answer>\nApproved!' })],
];

describe('the prompt of', () => {
  it.each(CASES)('%s reads as in its golden file', async (name, input) => {
    const path = join(process.cwd(), 'test/unit/agent/golden', `${name}.txt`);
    const prompt = composePrompt(input);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(path, prompt);

    expect(prompt).toBe(await readFile(path, 'utf8'));
  });

  it.each(CASES)('%s opens with the marker of its stage', (_name, input) => {
    expect(composePrompt(input)).toMatch(new RegExp(`^\\[stage:${input.stage}\\] \\[round:\\d+\\] \\[ask:${input.ask}\\]\n`));
  });

  it.each(CASES)('%s decides nothing when it is echoed', (_name, input) => {
    const prompt = composePrompt(input);

    expect(readDecision(prompt, { stage: 'reviewing', code: CODE })).toEqual({ kind: 'unreadable' });
    expect(readDecision(prompt, { stage: 'verifying', code: CODE })).toEqual({ kind: 'unreadable' });
  });

  it('a stage that does not decide holds no decision code', () => {
    const prompts = CASES.filter(([, input]) => !['reviewing', 'verifying'].includes(input.stage)).map(([, input]) => composePrompt(input));

    expect(prompts).toHaveLength(4);
    for (const prompt of prompts) expect(prompt).not.toContain(CODE);
  });

  it('a stage without a decision is never asked for one again', () => {
    expect(() => composePrompt(anInput({ stage: 'executing', ask: 'decision' }))).toThrow('executing has no decision');
  });
});

describe('a prompt of megabytes', () => {
  const fromRules = (prompt: string) => prompt.slice(prompt.indexOf('## Rules'));

  it.each(CASES)('for %s stays below its limit and keeps its end', (_name, input) => {
    const megabyte = 'ü'.repeat(500_000);
    const many = Array.from({ length: 50 }, () => ({ stdout: megabyte, stderr: megabyte }));
    const validation = { ...VALIDATION, commands: many.map(() => aResult({ status: 'failed', exitCode: 1 })) };
    const texts = { task: megabyte, title: megabyte, plan: megabyte, architecture: megabyte, review: megabyte, previousOutput: megabyte };

    const prompt = composePrompt({ ...input, ...texts, instructions: megabyte, validation, validationOutput: many });

    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(MAX_PROMPT_BYTES);
    expect(prompt).toContain('bytes left out');
    expect(fromRules(prompt)).toBe(fromRules(composePrompt(input)));
  });

  it('shows head and tail of what a command printed', () => {
    const stdout = `first line\n${'x'.repeat(100_000)}\nlast line`;
    const validation = { ...VALIDATION, commands: [aResult({ status: 'failed', exitCode: 1 })] };

    const prompt = composePrompt(anInput({ stage: 'fixing', round: 1, validation, validationOutput: [{ stdout, stderr: '' }] }));

    expect(prompt).toContain('<stdout>\nfirst line\nxxx');
    expect(prompt).toContain('xxx\nlast line\n</stdout>');
    expect(prompt.length).toBeLessThan(20_000);
  });
});
