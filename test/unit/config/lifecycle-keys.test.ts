/** The keys of rounds, gates, permissions, budgets, usage limits and sinks: what is read, and where each fault stands. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration } from '../../../config/keys/duration.js';
import type { KeyName } from '../../../config/keys/keys.js';
import { type Layer, parseConfigFile, valueIn } from '../../../config/layers/parse-config.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { STAGES } from '../../../protocol/run/stages.js';

const NAME = '.sluice/config.yaml';

function parse(text: string): Layer {
  return parseConfigFile('project', { text, name: NAME });
}

function refusalOf(text: string): ConfigError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error(`was accepted: ${text}`);
}

/** `line:column: what is found; rule`, of the only problem. */
function faultOf(text: string): string {
  const { problems } = refusalOf(text);
  expect(problems).toHaveLength(1);
  const [{ place, found, rule }] = problems;
  return `${place.replace(`${NAME}:`, '')}: ${found}; ${rule}`;
}

describe('rounds', () => {
  it.each([
    ['rounds: -1', '1:9: rounds is -1'],
    ['version: 1\nrounds: 1.5', '2:9: rounds is 1.5'],
    ['rounds: null', '1:9: rounds is null'],
    ['rounds:   21', '1:11: rounds is 21'],
    ['rounds: "2"', '1:9: rounds is 2'],
    ['rounds: .inf', '1:9: rounds is Infinity'],
    ['workflow:\n  maxReviewLoops: 21', '2:19: workflow.maxReviewLoops is 21'],
    ['workflow: {maxReviewLoops: -1}', '1:28: workflow.maxReviewLoops is -1'],
  ])('refuses %j with line and column', (text, fault) => {
    expect(faultOf(text)).toBe(`${fault}; must be a whole number from 0 to 20`);
  });

  it('accepts the whole numbers from 0 to 20 and no other number', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: -50, max: 50 }), fc.double({ noNaN: true, min: -50, max: 50 })),
        (number) => {
          const isRound = Number.isInteger(number) && number >= 0 && number <= 20;
          const text = `rounds: ${Object.is(number, -0) ? 0 : number}`;
          if (isRound) expect(valueIn(parse(text), 'rounds')?.value).toBe(number === 0 ? 0 : number);
          else expect(() => parse(text)).toThrow('from 0 to 20');
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('gates', () => {
  it.each(STAGES)('may stand at %s, in each spelling', (stage) => {
    for (const text of [
      `gates: [${stage}]`,
      `gates: {stages: [${stage}]}`,
      `policies: {requireApprovalAtStages: [${stage}]}`,
    ]) {
      expect(valueIn(parse(text), 'gates.stages')?.value).toEqual([stage]);
    }
  });

  it.each([
    ['gates: [planning, exectuing]', '1:19: gates.1 is exectuing', 'did you mean executing?'],
    [
      'gates:\n  stages:\n    - planning\n    - merging',
      '4:7: gates.stages.1 is merging',
      'must be one of planning, architecting',
    ],
    [
      'policies: {requireApprovalAtStages: [deploy]}',
      '1:38: policies.requireApprovalAtStages.0 is deploy',
      'must be one of',
    ],
    ['gates: [planning, planning]', '1:19: gates.1 is planning', 'must stand once in the list'],
    ['gates: [7]', '1:9: gates.0 is 7', 'must be one of'],
    ['gates: executing', '1:8: gates is executing', 'must be a list of stages'],
    ['gates: {remind: 1}', '1:17: gates.remind is 1', 'must be off or a duration'],
    ['gates: {remind: never}', '1:17: gates.remind is never', 'must be off or a duration'],
    ['gates: {escalate: 0s}', '1:19: gates.escalate is 0s', 'from 100ms to 365d'],
    ['gates: {expire: off}', '1:17: gates.expire is off', 'must be never or a duration'],
    ['gates: {expire: 366d}', '1:17: gates.expire is 366d', 'from 100ms to 365d'],
    ['gates: {unattendedExpire: 5}', '1:27: gates.unattendedExpire is 5', 'must be 0 or a duration up to 365d'],
    ['gates: {unattendedExpire: never}', '1:27: gates.unattendedExpire is never', 'must be 0 or a duration up to 365d'],
    [
      'policies: {unattendedApprovalTimeoutMs: 5m}',
      '1:41: policies.unattendedApprovalTimeoutMs is 5m',
      'whole number of milliseconds',
    ],
    ['gates: {maxChangeRounds: 21}', '1:26: gates.maxChangeRounds is 21', 'from 0 to 20'],
    ['policies: {approvalMaxChangeRounds: null}', '1:37: policies.approvalMaxChangeRounds is null', 'from 0 to 20'],
  ])('refuses %j with line, column and rule', (text, place, rule) => {
    expect(faultOf(text)).toContain(`${place}; `);
    expect(faultOf(text)).toContain(rule);
  });

  it.each<[string, KeyName, unknown]>([
    ['gates: {remind: off}', 'gates.remind', null],
    ['gates: {escalate: 8h}', 'gates.escalate', 28_800_000],
    ['gates: {expire: never}', 'gates.expire', null],
    ['gates: {expire: 30d}', 'gates.expire', 2_592_000_000],
    ['gates: {unattendedExpire: 0}', 'gates.unattendedExpire', 0],
    ['gates: {unattendedExpire: 0s}', 'gates.unattendedExpire', 0],
    ['gates: {unattendedExpire: 2h}', 'gates.unattendedExpire', 7_200_000],
  ])('reads %j', (text, key, value) => {
    expect(valueIn(parse(text), key)?.value).toBe(value);
  });

  it('expire after any time from 100 ms to a year', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => {
        const text = `gates: {expire: ${formatDuration(ms)}}`;
        if (ms >= 100 && ms <= 365 * 86_400_000) expect(valueIn(parse(text), 'gates.expire')?.value).toBe(ms);
        else expect(() => parse(text)).toThrow('must be never or a duration');
      }),
      { numRuns: 100 },
    );
  });

  it('are refused in two spellings', () => {
    expect(faultOf('gates: [executing]\npolicies: {requireApprovalAtStages: [executing]}')).toContain(
      '2:12: gates.stages is set here and at .sluice/config.yaml:1:1, in two spellings',
    );
  });
});

describe('the other keys of people and limits', () => {
  it.each([
    ['attended: "yes"', '1:11: attended is yes; must be true or false'],
    ['holdAtCompletion: 1', '1:19: holdAtCompletion is 1; must be true or false'],
    ['permissions: all', '1:14: permissions is all; must be one of read-only, ask, accept-edits, auto'],
    ['validation: {onFailure: block}', '1:25: validation.onFailure is block; must be one of fix, review'],
    ['budget: {run: {turns: 0}}', '1:23: budget.run.turns is 0; must be a whole number from 1 to 100000'],
    ['budget: {run: {turns: 1.5}}', '1:23: budget.run.turns is 1.5; must be a whole number from 1 to 100000'],
    [
      'budget: {run: {minutes: 0}}',
      '1:25: budget.run.minutes is 0; must be a number of minutes above 0, at most 525600',
    ],
    [
      'budget: {run: {minutes: 5m}}',
      '1:25: budget.run.minutes is 5m; must be a number of minutes above 0, at most 525600',
    ],
    ['budget: {run: {usd: -2}}', '1:21: budget.run.usd is -2; must be a number of US dollars from 0.000001 to 1000000'],
    [
      'budget: {run: {usd: 0.0000001}}',
      '1:21: budget.run.usd is 1e-7; must be a number of US dollars from 0.000001 to 1000000',
    ],
    [
      'budget: {run: {usd: $5}}',
      '1:21: budget.run.usd is "$5"; must be a number of US dollars from 0.000001 to 1000000',
    ],
    ['budget: {onLimit: ask}', '1:19: budget.onLimit is ask; must be one of stop, pause'],
    ['usageLimit: {action: retry}', '1:22: usageLimit.action is retry; must be one of wait, fallback, stop'],
    ['usageLimit: {maxWaits: 101}', '1:24: usageLimit.maxWaits is 101; must be a whole number from 0 to 100'],
    [
      'usageLimit: {maxWaitMin: 0.5}',
      '1:26: usageLimit.maxWaitMin is 0.5; must be a whole number of minutes from 1 to 525600',
    ],
    ['agents: {x: {command: y, fallback: 3}}', '1:36: agents.x.fallback is 3; must be the name of an agent'],
  ])('refuse %j with line and column', (text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });

  it.each<[string, KeyName, unknown]>([
    ['budget: {run: {usd: 2.5}}', 'budget.run.usd', 2_500_000],
    ['budget: {run: {usd: 0.1}}', 'budget.run.usd', 100_000],
    ['budget: {run: {minutes: 0.5}}', 'budget.run.minutes', 0.5],
    ['budget: {run: {turns: 7}}', 'budget.run.turns', 7],
    ['usageLimit: {maxWait: 2d}', 'usageLimit.maxWait', 172_800_000],
    ['usageLimit: {maxWaitMin: 90}', 'usageLimit.maxWait', 5_400_000],
    ['validation: {onFailure: review}', 'validation.onFailure', 'review'],
  ])('read %j', (text, key, value) => {
    expect(valueIn(parse(text), key)?.value).toBe(value);
  });
});

describe('notify', () => {
  const sinksOf = (entries: string) => valueIn(parse(`notify: ${entries}`), 'notify')?.value;

  it('reads each kind of sink', () => {
    expect(
      sinksOf(
        '[desktop, {command: [tell, --all]}, {command: tell}, {webhook: "https://example.com/a?b=c", secretEnv: HOOK_1}]',
      ),
    ).toEqual([
      { kind: 'desktop' },
      { kind: 'command', command: ['tell', '--all'] },
      { kind: 'command', command: ['tell'] },
      { kind: 'webhook', url: 'https://example.com/a?b=c', secretEnv: 'HOOK_1' },
    ]);
    expect(sinksOf('[]')).toEqual([]);
  });

  it.each([
    'https://example.com/x',
    'https://10.0.0.1/x',
    'http://127.0.0.1:8080/x',
    'http://127.9.9.9/',
    'http://[::1]:9/',
    'http://localhost/x',
  ])('posts to %s', (url) => {
    expect(sinksOf(`[{webhook: "${url}"}]`)).toEqual([{ kind: 'webhook', url, secretEnv: null }]);
  });

  it.each([
    'http://example.com/x',
    'http://128.0.0.1/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://[::2]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'http://127.0.0.1@example.com/',
    'https://name:hunter2@example.com/',
    'https://hunter2@example.com/',
    'https://:hunter2@example.com/',
    'ftp://localhost/x',
    'file:///etc/passwd',
    '/hunter2',
    'example.com',
    '',
  ])('never posts to %s, and does not repeat the address', (url) => {
    const { problems, message } = refusalOf(`notify:\n  - webhook: "${url}"`);

    expect(problems).toMatchObject([
      { place: `${NAME}:2:14`, key: 'notify.0.webhook', rule: expect.stringContaining('must be an https address') },
    ]);
    expect(message).toContain('notify.0.webhook is a value that is not shown');
    expect(message).not.toContain('hunter2');
  });

  it('takes no address of more than 2000 characters', () => {
    expect(faultOf(`notify: [{webhook: "https://example.com/${'x'.repeat(1981)}"}]`)).toContain(
      'must be an https address',
    );
    expect(sinksOf(`[{webhook: "https://example.com/${'x'.repeat(1980)}"}]`)).toHaveLength(1);
  });

  it('keeps the address as it was understood, so that no other reading finds another host', () => {
    expect(sinksOf(String.raw`[{webhook: 'http:\\127.1\x'}]`)).toEqual([
      { kind: 'webhook', url: 'http://127.0.0.1/x', secretEnv: null },
    ]);
  });

  it.each([
    ['desktop', '1:9: notify is desktop; must be a list of sinks'],
    ['[mail]', '1:10: notify.0 is mail; must be desktop'],
    ['[desktop, {mail: x}]', '1:19: notify.1 is a value that is not shown; must be desktop'],
    ['[{command: x, webhook: "https://x"}]', '1:10: notify.0 is a value that is not shown; must be desktop'],
    ['[{webhook: "https://x", secret: s3cr3t}]', '1:10: notify.0 is a value that is not shown; must be desktop'],
    [
      '[{webhook: "https://x", secretEnv: s3cr3t}]',
      '1:44: notify.0.secretEnv is a value that is not shown; must be the name',
    ],
    ['[{secretEnv: HOOK}]', '1:10: notify.0.webhook is nothing; must be an https'],
    ['[{command: ./tell}]', '1:20: notify.0.command is a value that is not shown; must be a program on PATH'],
    ['[{command: []}]', '1:20: notify.0.command is a value that is not shown; must be a program on PATH'],
    [
      `[${Array.from({ length: 11 }, () => 'desktop').join()}]`,
      '1:9: notify is a value that is not shown; must be a list of at most 10 sinks',
    ],
  ])('refuses %s', (entries, fault) => {
    expect(faultOf(`notify: ${entries}`)).toContain(fault);
    expect(faultOf(`notify: ${entries}`)).not.toContain('s3cr3t');
  });
});
