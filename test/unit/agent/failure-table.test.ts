import { describe, expect, it } from '@jest/globals';
import { classifyFailure, type FailedExit, type Failure } from '../../../activities/agent/outcome/failure-table.js';
import { expectLinearCost } from '../../support/linear-cost.js';

const NOW = new Date('2026-11-21T10:00:00.000Z');

function classOf(line: string, given: Partial<FailedExit> = {}): Failure {
  return classifyFailure({ exitCode: 1, stderr: ['starting', line], stdout: [], now: NOW, ...given });
}

describe('our own outcome line', () => {
  it.each<[string, Failure]>([
    ['usage_limit', { kind: 'usage_limit', until: null, said: null }],
    ['usage_limit until=2026-11-22T09:00:00Z', { kind: 'usage_limit', until: '2026-11-22T09:00:00.000Z', said: null }],
    [
      'usage_limit until=2026-11-22T09:00:00+02:00 five hours',
      { kind: 'usage_limit', until: '2026-11-22T07:00:00.000Z', said: 'five hours' },
    ],
    ['usage_limit until=2026-11-20T09:00:00Z', { kind: 'usage_limit', until: null, said: null }],
    ['usage_limit until=2028-01-01T00:00:00Z', { kind: 'usage_limit', until: null, said: null }],
    ['usage_limit until=2026-99-99T09:00:00Z', { kind: 'usage_limit', until: null, said: null }],
    ['usage_limit until=tomorrow', { kind: 'usage_limit', until: null, said: null }],
    ['rate_limited', { kind: 'rate_limited', afterMs: null, said: null }],
    ['rate_limited after=2.5 slow down', { kind: 'rate_limited', afterMs: 2500, said: 'slow down' }],
    ['rate_limited after=-3', { kind: 'rate_limited', afterMs: null, said: null }],
    ['rate_limited after=999999', { kind: 'rate_limited', afterMs: null, said: null }],
    ['rate_limited after=1e3', { kind: 'rate_limited', afterMs: null, said: null }],
    ['transient', { kind: 'transient', said: null }],
    ['transient the model is warming up', { kind: 'transient', said: 'the model is warming up' }],
    ['overflow', { kind: 'overflow', said: null }],
    ['refused I do not write malware', { kind: 'refused', said: 'I do not write malware' }],
  ])('%s is believed', (words, failure) => {
    expect(classOf(`sluice-outcome: ${words}`)).toEqual(failure);
  });

  it('comes before every phrase and every exit code', () => {
    expect(classOf('sluice-outcome: overflow', { exitCode: 75, stdout: ['usage limit reached'] })).toMatchObject({
      kind: 'overflow',
    });
  });

  it.each([
    'sluice-outcome: done',
    'sluice-outcome:transient',
    ' sluice-outcome: transient',
    'it said sluice-outcome: transient',
    'SLUICE-OUTCOME: transient',
    'sluice-outcome: transiently',
  ])('%j is none', (line) => {
    expect(classOf(line)).toEqual({ kind: 'hard', said: null });
  });

  it('counts only as the last line, and only on stderr', () => {
    expect(classOf('bye', { stderr: ['sluice-outcome: transient', 'bye'] })).toEqual({ kind: 'hard', said: null });
    expect(classOf('bye', { stdout: ['sluice-outcome: transient'] })).toEqual({ kind: 'hard', said: null });
  });
});

describe('a phrase at the start of a line', () => {
  it.each<[string, Partial<Failure>]>([
    ['Claude AI usage limit reached|1763733600', { kind: 'usage_limit', until: null }],
    ['Claude AI usage limit reached|1795269600', { kind: 'usage_limit', until: '2026-11-21T14:00:00.000Z' }],
    [
      '  ⎿  Claude usage limit reached. Your limit will reset at 9am (America/Chicago).',
      { kind: 'usage_limit', until: '2026-11-21T15:01:00.000Z' },
    ],
    [
      'Error: usage limit reached until 2026-11-21T12:00:00Z',
      { kind: 'usage_limit', until: '2026-11-21T12:00:00.000Z' },
    ],
    [
      "ERROR: You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.",
      { kind: 'usage_limit', until: '2026-11-24T03:14:00.000Z' },
    ],
    ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", { kind: 'usage_limit', until: null }],
    ['Error: You exceeded your current quota, please check your plan.', { kind: 'usage_limit', until: null }],
    ['The usage limit has been reached', { kind: 'usage_limit', until: null }],
    [
      "This request would exceed your account's rate limit. Please try again later.",
      { kind: 'usage_limit', until: null },
    ],
    [`{"error":{"message":"no credit","code":"insufficient_quota"}}`, { kind: 'usage_limit', until: null }],
    ['Error: 429', { kind: 'rate_limited', afterMs: null }],
    ['Error: 429 Too Many Requests, retry after 7 seconds', { kind: 'rate_limited', afterMs: 7000 }],
    ['HTTP 429', { kind: 'rate_limited', afterMs: null }],
    ['HTTP/1.1 429 Too Many Requests', { kind: 'rate_limited', afterMs: null }],
    ['[ERROR] status code: 429, retry-after: 12', { kind: 'rate_limited', afterMs: 12_000 }],
    ['openai.RateLimitError: Error code: 429 - {}', { kind: 'rate_limited', afterMs: null }],
    [
      'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"later"}}',
      { kind: 'rate_limited', afterMs: null },
    ],
    ['{"type":"error","error":{"type":"rate_limit_error","message":"later"}}', { kind: 'rate_limited', afterMs: null }],
    ['rate_limit_error: slow down', { kind: 'rate_limited', afterMs: null }],
    [
      'Rate limit reached for gpt-x on tokens per min. Please try again in 350ms.',
      { kind: 'rate_limited', afterMs: 350 },
    ],
    ['Too Many Requests', { kind: 'rate_limited', afterMs: null }],
    ['API Error: 529 Overloaded. This is a server-side issue.', { kind: 'transient' }],
    [
      'API Error (529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})',
      { kind: 'transient' },
    ],
    ['HTTP 503', { kind: 'transient' }],
    ['HTTP 503 Service Unavailable', { kind: 'transient' }],
    ['ECONNRESET', { kind: 'transient' }],
    ['Connection reset by peer', { kind: 'transient' }],
    ['prompt is too long: 208310 tokens > 200000 maximum', { kind: 'overflow' }],
    ['Error: 502 Bad Gateway', { kind: 'transient' }],
    ['overloaded_error', { kind: 'transient' }],
    ['Error: read ECONNRESET', { kind: 'transient' }],
    ['Error: connect ETIMEDOUT 10.0.0.1:443', { kind: 'transient' }],
    ["  code: 'ECONNREFUSED',", { kind: 'transient' }],
    ['Error: ENOSPC: no space left on device, write', { kind: 'transient' }],
    ['EDQUOT: disk quota exceeded', { kind: 'transient' }],
    ['TypeError: fetch failed', { kind: 'transient' }],
    ['Error: socket hang up', { kind: 'transient' }],
    ['Error: 400 {"error":{"code":"context_length_exceeded"}}', { kind: 'overflow' }],
    ['context_length_exceeded', { kind: 'overflow' }],
    ['Prompt is too long', { kind: 'overflow' }],
    ["Error: This model's maximum context length is 8192 tokens.", { kind: 'overflow' }],
  ])('%s', (line, failure) => {
    expect(classOf(line)).toEqual(expect.objectContaining(failure));
    expect(classOf('starting', { stderr: [], stdout: ['hello', line] }).kind).toBe(failure.kind);
  });

  it('is told as it was said', () => {
    expect(classOf('Error: read ECONNRESET')).toEqual({ kind: 'transient', said: 'Error: read ECONNRESET' });
  });

  it('decides in the order of the classes, wherever the lines stand', () => {
    const lines = [
      'context_length_exceeded',
      'Error: read ECONNRESET',
      'HTTP 429',
      'Claude AI usage limit reached',
      'bye',
    ];

    const kinds = [lines, lines.toSpliced(3, 1), lines.toSpliced(2, 2), lines.toSpliced(1, 3)].map(
      (stderr) => classOf('', { stderr }).kind,
    );

    expect(kinds).toEqual(['usage_limit', 'rate_limited', 'transient', 'overflow']);
  });
});

describe('a bare number, or a phrase inside a sentence,', () => {
  it.each([
    '500 files',
    '429 tests failed',
    'Error: 429 tests failed',
    'Error: 500 files could not be read',
    'error 503 of 600 cases',
    '429',
    'The server said HTTP 429 twice',
    'I saw "rate_limit_error" in src/client.ts',
    'const retry = /overloaded_error/;',
    'We handle ECONNRESET in the client.',
    'Tests for "usage limit reached" are green',
    'not ok 3 usage limit reached',
    'see context_length_exceeded',
    '- Error: 429',
    '> HTTP 429',
    '+  throw new Error("rate_limit_error")',
    'HTTP 4290',
    'HTTP 429 is retried now',
    'Rate limit exceeded errors are counted',
    'rate_limit_error is handled in src/client.ts',
    'ECONNRESET is handled in src/client.ts',
    'Connection refused errors are shown',
    'Usage limit reached is a new state',
    'rate_limit_errors are counted',
  ])('%s is hard', (line) => {
    expect(classOf(line)).toEqual({ kind: 'hard', said: null });
  });
});

describe('an exit code', () => {
  it('of a temporary failure is transient', () => {
    expect(classOf('try later', { exitCode: 75 })).toEqual({ kind: 'transient', said: null });
  });

  it('of a temporary failure is a usage limit where the line says so', () => {
    expect(classOf('Claude AI usage limit reached', { exitCode: 75 }).kind).toBe('usage_limit');
  });

  it.each([0, 1, 2, 29, 127, 130])('%s means nothing', (exitCode) => {
    expect(classOf('no', { exitCode }).kind).toBe('hard');
  });
});

it.each(['{', 'error ', '[(', 'Error: ', '{"type":', '1 day ', '_'])(
  'lines of a megabyte of %j are classified at a cost that grows with the length',
  (piece) => {
    expectLinearCost(1_000_000, (length) => {
      const line = piece.repeat(length / piece.length);
      classOf(line, { stdout: Array.from({ length: 10 }, () => line.slice(0, length / 100)) });
    });
  },
);
