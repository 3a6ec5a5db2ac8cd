/**
 * What lies in a sluice home is what docs/ARCHITECTURE.md lists, file by file: a file that nobody listed is one that a newcomer cannot place, and a row whose
 * file nothing writes leads nowhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';

const LIMIT_MS = 300_000;

/** Below which folder the files of each table lie, in the order of the tables; those of a place also below the number of one of its commands. */
const PLACES = ['', 'state/[^/]+/[^/]+/', 'state/[^/]+/[^/]+/turns/\\d+-[^/]+/(?:\\d+/)?'];

/** Written only where something is met that this run does not meet; the test of each names its file. */
const RARE = new Set([
  'commands/<hash>.json',
  'closed-accounts.json',
  // It goes when the server is first ready.
  'temporal.db.making',
  'web.json',
  'guard.<pid>.sock',
  'guard.lock',
  'engine.lock',
  'cleaning.json',
  'left.json',
  'validation-setup.json',
  'setup-files.json',
  'setup-missing.json',
  // They go when the run closes.
  'worktrees/<repoKey>/<runId>+validation/…',
  'worktrees/<repoKey>/.<runId>+validation.owner/<execution>',
  'items/<repoKey>/<n>/item.json',
  'items/<repoKey>/<n>/plans/<hash>.json',
  'items/<repoKey>/<n>/closed.json',
  'items/<repoKey>/<n>/dedup.jsonl',
  'items/<repoKey>/<n>/asks/<ask>/…',
  'items/<repoKey>/keys/<hash>',
  'trees/<repoKey>/<print>-<id>/…',
  'sandbox.json',
  'proxy.sock',
  'refused-hosts.jsonl',
  'ending',
  'given-up.json',
  'found.json',
  'left-git.json',
  'stale/<n>/…',
]);

let world: CliWorld;
let found: readonly string[];

beforeAll(async () => {
  world = openCliWorld();
  const repository = world.repository();
  repository.write('package.json', '{"scripts":{"test":"grep -q changed a.txt"}}');
  await world.sluice(['init', '--agent', 'command', '--', world.script('agent', GOOD_AGENT)], { cwd: repository.path });
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'tests and config');
  expect(await world.sluice(['run', 'add a line'], { cwd: repository.path })).toMatchObject({ code: 0 });
  found = filesOf(world.home);
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Below the home, such as `state/<repoKey>/<runId>/run.json`. */
function listed(): { readonly name: string; readonly pattern: RegExp }[] {
  const page = readFileSync(fileURLToPath(new URL('../../docs/ARCHITECTURE.md', import.meta.url)), 'utf8');
  const part = /<!-- files of a home:.*?-->(.*)<!-- end of files of a home -->/s.exec(page)?.[1] ?? '';
  const tables = part.split(/^\|---.*$/m).slice(1);
  return tables.flatMap((table, nth) =>
    [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
      [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => ({
        name: name ?? '',
        pattern: new RegExp(`^${PLACES[nth]}${patternOf(name ?? '')}$`),
      })),
    ),
  );
}

/** Each `<name>` is a part of one component, `…` anything below. */
const patternOf = (path: string) =>
  path
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/<\w+>/g, '[^/]+')
    .replace('…', '.+');

describe('the table of docs/ARCHITECTURE.md', () => {
  it('has a row for every file that a home holds after a run', () => {
    expect(found.filter((file) => !listed().some(({ pattern }) => pattern.test(file)))).toEqual([]);
  });

  it('has no row for a file that nothing writes', () => {
    const missing = listed().filter(
      ({ name, pattern }) => !RARE.has(name) && !found.some((file) => pattern.test(file)),
    );

    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('lists a rare file once, and no other', () => {
    expect([...RARE].filter((name) => listed().filter((row) => row.name === name).length !== 1)).toEqual([]);
  });
});
