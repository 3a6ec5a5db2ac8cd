/**
 * An agent that leaves its worktree: it writes into the person's checkout, index, config, hooks and refs, into what the engine keeps of its run in
 * the sluice home, and into another run. Nothing of it can be stopped without a sandbox; these are the tests of what is seen, said and not believed.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attendedRun } from '../support/attended-run.js';
import { type EndedRun, endedRun, endedRuns, type RunCase } from '../support/ended-run.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

const PLAIN =
  'stageList: [executing, validating, reviewing, verifying]\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';

/** `$R`: the person's checkout, `$S`: what the engine keeps of this run. */
const PLACES =
  'R=$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)"); S=$(pwd -P | sed s#/worktrees/#/state/#)';

function executing(run: string): RunCase {
  return {
    config: PLAIN,
    files: { '.gitignore': '*.log\n' },
    stages: { executing: { append: { 'a.txt': 'changed\n' }, run: `${PLACES}; ${run}`, text: 'Done.' } },
    input: { attended: false },
  };
}

/** Changes a field of a JSON file of the sluice home. */
const edit = (file: string, change: string) =>
  `${process.execPath} -e 'const fs = require("fs"), file = process.argv[1], value = JSON.parse(fs.readFileSync(file)); ${change}; fs.writeFileSync(file, JSON.stringify(value))' "$S/${file}"`;

const FOREIGN =
  'GIT_AUTHOR_NAME=evil GIT_AUTHOR_EMAIL=e@x.invalid GIT_COMMITTER_NAME=evil GIT_COMMITTER_EMAIL=e@x.invalid';

const CASES = {
  checkout: executing(
    'echo stray >> "$R/a.txt"; echo x > "$R/new.txt"; echo x > "$R/ignored.log"; git -C "$R" add a.txt',
  ),
  ignored: executing('echo x > "$R/ignored.log"'),
  head: executing('git -C "$R" symbolic-ref HEAD refs/heads/elsewhere'),
  config: executing(
    `git -C "$R" config core.fsmonitor "touch $HOME/canary-config"; git -C "$R" config alias.st '!evil'`,
  ),
  hook: executing(
    `printf '#!/bin/sh\\ntouch "$HOME/canary-hook"\\n' > "$R/.git/hooks/post-checkout"; chmod +x "$R/.git/hooks/post-checkout"`,
  ),
  alternates: executing('mkdir -p "$R/.git/objects/info"; echo /nowhere > "$R/.git/objects/info/alternates"'),
  refs: executing(
    `${FOREIGN} git commit -q --allow-empty -m 'as somebody else'; git tag v1; git branch release; git -C "$R" pack-refs --all; ` +
      'git init -q --bare "$R/../remote"; git push -q "$R/../remote" HEAD:refs/heads/pushed; git -C "$R" update-ref refs/remotes/origin/main HEAD',
  ),
  policy: executing(edit('run.json', 'value.policy.checks.validation.commands = []; value.policy.guardedPaths = []')),
  environment: executing(edit('env', 'value.PATH = "/evil:" + value.PATH')),
  gitConfig: executing(`git config --file "$S/git/config" core.fsmonitor "touch $HOME/canary-private"`),
  filter: executing(
    `git config --file "$S/git/config" filter.evil.clean "touch $HOME/canary-filter; cat"; echo '* filter=evil' > "$S/git/info/attributes"`,
  ),
} satisfies Record<string, RunCase>;

/** Made here and joined at run time, so that no scanner of this repository takes it for a real one. */
const TOKEN = ['ghp', randomBytes(18).toString('hex')].join('_');

/** Finds the worker by what it works for, reads its environment and shows it as often as it can. */
const PEEK = [
  'for p in /proc/[0-9]*; do',
  `if tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -qx "SLUICE_HOME=\${S%/state/*}"; then tr '\\0' '\\n' < $p/environ | grep '^GH_TOKEN' | tee -a peeked.txt >&2; fi;`,
  'done; cp peeked.txt "$HOME/peeked.txt"; git add peeked.txt; git commit -q -F peeked.txt',
].join(' ');

describe('an agent', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker({ env: { GH_TOKEN: TOKEN } });
    runs = await endedRuns(host, CASES);
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const seen = ({ events }: EndedRun) =>
    events.filter(({ type }) => type === 'repository.changed').map(({ message }) => message);
  const canaries = () => readdirSync(host.env['HOME'] ?? '').filter((name) => name.startsWith('canary'));

  it.each(['checkout', 'head'] as const)(
    "that changes the person's %s: it is journalled, not undone, and the branch holds nothing of it",
    (name) => {
      const { result, repository, run } = runs[name];

      expect(result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
      expect(seen(runs[name])).toContain("the person's checkout changed during the turn");
      expect(repository.git('diff', '--name-only', 'main', `sluice/${run.runId}`)).toBe('a.txt\n');
      expect(repository.git('show', `sluice/${run.runId}:a.txt`)).toBe('one\nchanged\n');
      if (name === 'checkout') expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('one\nstray\n');
    },
  );

  it('that writes only ignored files of the checkout: nobody sees it, and the branch holds nothing of it', () => {
    const { result, repository, run } = runs.ignored;

    expect(result.outcome).toBe('merge_ready');
    expect(seen(runs.ignored)).toEqual([]);
    expect(existsSync(join(repository.path, 'ignored.log'))).toBe(true);
    expect(repository.git('diff', '--name-only', 'main', `sluice/${run.runId}`)).toBe('a.txt\n');
  });

  it.each([
    ['config', 'the git config key core.fsmonitor changed'],
    ['hook', 'post-checkout changed'],
    ['alternates', 'objects/info/alternates, where git reads objects of other places, changed'],
  ] as const)(
    "that changes the repository's %s: the engine runs nothing of it, and the run ends blocked with what changed",
    (name, what) => {
      expect(runs[name].result).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
      expect(runs[name].result.error).toContain(what);
      expect(runs[name].turns).toEqual(['executing']);
      expect(canaries()).toEqual([]);
    },
  );

  it('that takes another name, commits, tags, branches, packs refs and pushes: each ref is journalled, the commit is the engine’s, in the person’s name', () => {
    const { result, repository, run } = runs.refs;

    expect(result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
    const moved = seen(runs.refs).filter((message) => message.endsWith('moved during the turn'));
    expect(moved.map((message) => message.split(' ')[0])).toEqual([
      'refs/heads/release',
      'refs/remotes/origin/main',
      'refs/tags/v1',
    ]);
    expect(repository.git('log', '--format=%an <%ae>', `main..sluice/${run.runId}`)).toBe(
      'Test Person <person@example.invalid>\n',
    );
    expect(repository.git('rev-list', '--count', 'main')).toBe('1\n');
  });

  it.each(['policy', 'environment', 'gitConfig', 'filter'] as const)(
    'that edits the frozen %s of its run in the sluice home: nothing of it is used, and the run ends failed and says so',
    (name) => {
      const { result, turns } = runs[name];

      expect(result).toMatchObject({ outcome: 'failed' });
      expect(result.error).toContain(`what run ${runs[name].run.runId} was opened with was changed`);
      expect(turns).toEqual(['executing']);
      expect(canaries()).toEqual([]);
    },
  );

  it(
    'that reads the environment of the worker: it gets what the worker has, and what it shows of it is redacted or rolled back',
    async () => {
      const { result, repository, run } = await endedRun(host, executing(PEEK));

      expect(readFileSync(join(host.env['HOME'] ?? '', 'peeked.txt'), 'utf8')).toContain(TOKEN);
      expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation' });
      expect(result.error).toContain('has the shape of a secret');
      expect(repository.git('log', '--format=%B', `sluice/${run.runId}`)).not.toContain(TOKEN);
      const shown = readdirSync(run.runDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(
        shown
          .filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes(TOKEN))
          .map(({ name }) => name),
      ).toEqual([]);
      const history = readable(await run.handle.fetchHistory());
      expect(history).toContain('has the shape of a secret');
      expect(history).not.toContain(TOKEN);
    },
    LIMIT_MS,
  );

  it(
    'that writes into the worktree of another run, which waits at a gate: it is put in order before the next turn',
    async () => {
      const gated =
        'stageList: [executing, reviewing, verifying]\nvalidation:\n  commands: ["true"]\ngates:\n  stages: [reviewing]\n';
      const victim = await attendedRun(host, { config: gated });
      await victim.gate();
      const { worktree } = await victim.run.view();
      const harm = `echo planted > ${worktree}/planted.txt; echo planted >> ${worktree}/a.txt`;

      const attacker = await attendedRun(host, {
        config: PLAIN,
        stages: { executing: { append: { 'a.txt': 'changed\n' }, run: harm, text: 'Done.' } },
      });
      expect(await attacker.result()).toMatchObject({ outcome: 'merge_ready', error: null });
      await victim.approve(1);

      expect(await victim.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(victim.repository.git('diff', '--name-only', 'main', `sluice/${victim.run.runId}`)).toBe('a.txt\n');
      expect(victim.repository.git('show', `sluice/${victim.run.runId}:a.txt`)).toBe('one\nchanged\n');
      expect(existsSync(join(worktree ?? '', 'planted.txt'))).toBe(false);
    },
    LIMIT_MS,
  );
});

/** Every string and every payload of a history. */
function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(readable).join('\n');
}
