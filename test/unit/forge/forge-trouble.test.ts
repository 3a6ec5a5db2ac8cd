/** What answers of GitHub mean: each row a sample of its own. */
import { describe, expect, it } from '@jest/globals';
import { type Answered, graphqlTroubleOf, troubleOf } from '../../../activities/forge/forge-trouble.js';
import { refusedPush, remoteTroubleOf } from '../../../activities/git/forge/forge-git.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const answered = (status: number, message: string | null = null, headers: Answered['headers'] = {}): Answered => ({
  status,
  message,
  headers,
  now: NOW,
});
const after = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

describe('an answer', () => {
  it.each<[Answered, string]>([
    [answered(301), 'moved'],
    [answered(307), 'moved'],
    [answered(401, 'Bad credentials'), 'unauthorized'],
    [answered(403, 'Resource not accessible by personal access token'), 'missing_scope'],
    [answered(403, 'No', { 'x-accepted-oauth-scopes': 'repo', 'x-oauth-scopes': 'gist' }), 'missing_scope'],
    [answered(403, 'No', { 'x-accepted-oauth-scopes': 'repo', 'x-oauth-scopes': '' }), 'missing_scope'],
    [answered(403, 'No', { 'x-accepted-oauth-scopes': 'repo' }), 'refused'],
    [answered(403, 'No', { 'x-accepted-oauth-scopes': 'repo', 'x-oauth-scopes': 'repo, gist' }), 'refused'],
    [answered(403, 'Repository was archived so is read-only.'), 'gone'],
    [answered(404, 'Not Found'), 'gone'],
    [answered(405, 'Base branch was modified. Review and try the merge again.'), 'unreachable'],
    [answered(405, 'Pull Request is not mergeable'), 'refused'],
    [answered(409, 'Head branch was modified.'), 'refused'],
    [answered(422, 'Validation Failed'), 'refused'],
    [answered(500), 'unreachable'],
    [answered(502), 'unreachable'],
    [answered(408), 'unreachable'],
  ])('%j is %s', (answer, kind) => {
    expect(troubleOf(answer).kind).toBe(kind);
  });

  it.each<[string, Answered, number]>([
    ['a time to wait', answered(403, 'No', { 'retry-after': '7' }), 7],
    ['a time to wait of days', answered(429, 'No', { 'retry-after': '9999999' }), 86_400],
    ['no time', answered(429), 60],
    ['only words', answered(403, 'You have exceeded a secondary rate limit'), 60],
    [
      'a time by a clock that is an hour ahead',
      answered(403, 'No', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(NOW / 1000 + 3_600 + 120),
        date: new Date(NOW + 3_600_000).toUTCString(),
      }),
      120,
    ],
    [
      'a time that is over',
      answered(403, 'No', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(NOW / 1000 - 50),
        date: new Date(NOW).toUTCString(),
      }),
      1,
    ],
  ])('of a limit with %s says until when', (_what, answer, seconds) => {
    expect(troubleOf(answer)).toMatchObject({ kind: 'limited', until: after(seconds) });
  });

  it.each<[readonly unknown[], string]>([
    [[{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }], 'limited'],
    [[{ type: 'RATE_LIMIT', code: 'graphql_rate_limit', message: 'API rate limit already exceeded' }], 'limited'],
    [[{ code: 'graphql_rate_limit', message: 'No' }], 'limited'],
    [[{ message: 'You have exceeded a secondary rate limit. Please wait.' }], 'limited'],
    [[{ type: 'NOT_FOUND', message: 'Could not resolve' }], 'gone'],
    [[{ type: 'FORBIDDEN', message: 'No' }], 'missing_scope'],
    [[{ type: 'INSUFFICIENT_SCOPES', message: 'No' }], 'missing_scope'],
    [[{ type: 'UNPROCESSABLE', message: 'Already' }], 'refused'],
    [[{ type: 'SERVICE_UNAVAILABLE', message: 'No server is available' }], 'unreachable'],
    [
      [
        { type: 'INTERNAL', message: 'No' },
        { type: 'UNPROCESSABLE', message: 'Already' },
      ],
      'refused',
    ],
    [[{ message: 'Something went wrong while executing your query.' }], 'unreachable'],
    [['no object'], 'unreachable'],
  ])('of GraphQL with %j is %s', (errors, kind) => {
    expect(graphqlTroubleOf(errors, answered(200)).kind).toBe(kind);
  });

  it('of GraphQL that says when to come back is a limit, whatever else it says', () => {
    const answer = graphqlTroubleOf([{ message: 'Wait.' }], answered(200, null, { 'retry-after': '7' }));

    expect(answer).toMatchObject({ kind: 'limited', until: after(7) });
  });

  it.each([
    ['[remote rejected] (Internal Server Error)', '', 'unreachable'],
    ['[remote failure] (remote failed to report status)', '', 'unreachable'],
    ['[remote rejected] (hook declined)', 'remote: error: Service Unavailable\n', 'unreachable'],
    [
      '[remote rejected] (protected branch hook declined)',
      'remote: error: GH006: Protected branch update failed\n',
      'refused',
    ],
  ])('of a push that says %j and %j is %s', (said, stderr, kind) => {
    expect(refusedPush(`!\tone:two\t${said}`, stderr).kind).toBe(kind);
  });

  it.each([
    ["fatal: repository 'https://github.com/acme/tool.git/' not found\n", 'gone'],
    ['remote: This repository was archived so it is read-only.\n', 'gone'],
    ["fatal: Authentication failed for 'https://github.com/acme/tool.git/'\n", 'unauthorized'],
    [
      "fatal: unable to access 'https://github.com/acme/archived-tool.git/': Failed to connect to github.com port 443 after 2 ms\n",
      'unreachable',
    ],
    [
      'remote: Permission to acme/archived-docs.git denied to bot.\nfatal: … The requested URL returned error: 403\n',
      'missing_scope',
    ],
    ["fatal: couldn't find remote ref refs/heads/drop/archived\n", 'unreachable'],
  ])('of git that says %j is %s, whatever repository and branch are called', (stderr, kind) => {
    expect(remoteTroubleOf({ stderr }).kind).toBe(kind);
  });
});
