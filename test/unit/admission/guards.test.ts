/** Why two texts that look alike are two tasks: which guard speaks, and where none may. Source: S-15. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findGuard } from '../../../activities/admission/dedup/guards.js';
import { normalise } from '../../../activities/admission/dedup/normalise.js';

describe('a guard', () => {
  it.each([
    ['Enable dark mode', 'Disable dark mode', 'antonym enable/disable'],
    ['Add a retry to the client', 'Remove the retry from the client', 'antonym add/remove'],
    ['Allow guests to comment', 'Deny guests to comment', 'antonym allow/deny'],
    ['Show the sidebar', 'Hide the sidebar', 'antonym show/hide'],
    ['Starting the worker on boot', 'Stop the worker on boot', 'antonym start/stop'],
    ['Increase the timeout', 'decreased the timeout', 'antonym increase/decrease'],
    ['Upgrade node', 'Downgrade node', 'antonym upgrade/downgrade'],
    ['Open the port', 'Close the port', 'antonym open/close'],
    ['Lock the record', 'Unlock the record', 'antonym lock/unlock'],
    ['Add users, remove groups', 'Remove users, add groups', 'antonym add/remove'],
    ['Migrate from MySQL to Postgres', 'Migrate from Postgres to MySQL', 'other order around from'],
    ['Copy a file from the cache to disk', 'Copy a file from disk to a cache', 'other order around from'],
    ['Convert A -> B', 'Convert B -> A', 'other order around to'],
    ['Rename foo to bar', 'Rename bar → foo', 'other order around to'],
    ['Merge staging into main', 'Merge main into staging', 'other order around into'],
    ['Log errors but not warnings', 'Log warnings but not errors', 'other order around not'],
    ['Convert A -> B', 'Convert A B', 'arrow on one side'],
    ['Do not log the body', 'Log the body', 'negation on one side: not'],
    ["Don't cache errors", 'Cache errors', 'negation on one side: dont'],
    ['Don’t cache errors', 'Cache errors', 'negation on one side: dont'],
    ['Build without tests', 'Build with tests', 'negation on one side: without'],
    ['Retry 3 times', 'Retry 5 times', 'number 3/5'],
    ['Retry three times', 'Retry 5 times', 'number 3/5'],
    ['Set the offset to -5', 'Set the offset to +5', 'number -5/5'],
    ['Wait 30s', 'Wait 30 min', 'unit s/min'],
    ['Bump react to 18.2.0', 'Bump react to 18.3.0', 'number 18.2.0/18.3.0'],
    ['Fail if x > 5', 'Fail if x < 5', 'sign >/<'],
    ['Fail if x >= 5', 'Fail if x > 5', 'sign >=/>'],
    ['Convert A -> B', 'Convert A <- B', 'other direction to/from'],
    ['Migrate to Postgres', 'Migrate from Postgres', 'other direction to/from'],
    ['Send A -> B today', 'Today send A <- B', 'sign ->/<-'],
    ['Rename `foo`', 'Rename `bar`', 'name foo/bar'],
    ['Rename the "Save all" button', 'Rename the "Load all" button', 'name save all/load all'],
    ['Fix src/auth/login.ts', 'Fix src/auth/logout.ts', 'name src/auth/login.ts/src/auth/logout.ts'],
    ['Test parse-date.ts', 'Test parse-time.ts', 'name parse-date.ts/parse-time.ts'],
    ['Port the parser to C++', 'Port the parser to C#', 'name c++/c#'],
    ['Port the parser to C++', 'Port the parser to C.', 'name c++/c'],
    ['Handle getUser', 'Handle getOrder', 'name getuser/getorder'],
    ['Support ipv4', 'Support ipv6', 'name ipv4/ipv6'],
    ['Export as CSV', 'Export as JSON', 'name csv/json'],
    ['Ship v1.2 today', 'Ship v1.3 today', 'name v1.2/v1.3'],
    ['Document --force', 'Document --quiet', 'name --force/--quiet'],
    ['Test variant B', 'Test variant C', 'name b/c'],
  ])('keeps %j and %j apart', (one, other, guard) => {
    expect(findGuard(one, other)).toBe(guard);
    expect(findGuard(other, one)).not.toBeNull();
  });

  it.each([
    ['Fix the login page', 'Fix the login page'],
    ['Fix the login page', 'Login page: fix it'],
    ['Fix `login.ts`', 'Fix login.ts.'],
    ['Fix src/login.ts', 'Fix login.ts'],
    ['Fix the JSON parser', 'fix the json parser'],
    ["Fix the user's page", 'Fix the page of the user'],
    ['Retry 3 times', 'Retry three times'],
    ['Retry 3 times', 'Retry a few times'],
    ['Limit to 1,000 rows', 'Limit to 1000 rows'],
    ['Wait 30s', 'Wait 30 seconds'],
    ['Rename `foo` to `bar`', 'Rename foo -> bar'],
    ['Add a button', 'Adding buttons'],
    ['- fix it\n- test it', '* fix it\n* test it'],
    ['Migrate REST -> GraphQL', 'Migrate REST to GraphQL'],
    ['Enable the cache so that it is enabled', 'Enable the cache'],
    ['Fix tests 3-5', 'Fix tests 3 - 5'],
    ['', 'Fix it'],
    ['登录页面', '登录 页面'],
  ])('leaves %j and %j together', (one, other) => {
    expect(findGuard(one, other)).toBeNull();
    expect(findGuard(other, one)).toBeNull();
  });

  it('holds for what is one normalised text', () => {
    for (const [one, other] of [
      ['use C++', 'use C#'],
      ['if x > 5', 'if x < 5'],
      ['by -5', 'by +5'],
      ['A -> B', 'A B'],
    ] as const) {
      expect(normalise(one)).toBe(normalise(other));
      expect(findGuard(one, other)).not.toBeNull();
    }
  });

  it('never speaks of a text and itself, and speaks both ways or not at all', () => {
    const word = fc.constantFrom(
      'add',
      'remove',
      'not',
      'to',
      '->',
      'C++',
      '3',
      '-5',
      'a.ts',
      '`x`',
      'the',
      'from',
      'five',
      '<',
      "don't",
    );
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(findGuard(one, one)).toBeNull();
        expect(findGuard(one, other) === null).toBe(findGuard(other, one) === null);
      }),
      { numRuns: 2000 },
    );
  });
});
