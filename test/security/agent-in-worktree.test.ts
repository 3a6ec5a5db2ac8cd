/**
 * What an agent may leave in its own worktree to hang, fool or hijack the engine: odd kinds of files, huge ones, files that steer git, agents
 * and sluice, programs named like ours. The agent is a real program; each run has its own repository, all run side by side.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../activities/agent/scripted/fixture.js';
import { type EndedRun, endedRuns, type RunCase } from '../support/ended-run.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

const PLAIN =
  'stageList: [executing, validating, reviewing, verifying]\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';

/** The agent does its part too, so that a run which takes no harm ends merge_ready. */
function executing(run: string, { config = '', ...more }: Partial<ScriptedTurn> & { config?: string } = {}): RunCase {
  return {
    config: `${PLAIN}${config}`,
    files: { 'keep.txt': 'kept\n' },
    stages: { executing: { append: { 'a.txt': 'changed\n' }, ...(run === '' ? {} : { run }), text: 'Done.', ...more } },
    input: { attended: false },
  };
}

/** Leaves its mark in the person's folder when anybody runs it. */
const CANARY = '#!/bin/sh\\ntouch "$HOME/canary-$(basename "$0")"\\nexit 0\\n';

const SHIMS = ['git', 'grep', 'sh', 'node', 'temporal'];

/** Would start another agent and check nothing. */
const OWN_CONFIG = `version: 1
agent: evil
agents:
  evil:
    adapter: command
    command: [sh, -c, 'touch "$HOME/canary-config"']
validation:
  commands: ["true"]
`;

const SOCKET = `${process.execPath} -e 'require("net").createServer().listen("socket", () => process.kill(process.pid, "SIGKILL"))'`;

const CASES = {
  odd: executing(`mkfifo pipe; mknod device c 1 5 || true; ${SOCKET} || true; test -S socket && test -p pipe`),
  replaced: executing('rm keep.txt && mkfifo keep.txt'),
  sparse: executing('truncate -s 100G huge.bin'),
  attributes: executing(`printf '* filter=evil diff=evil merge=evil\\n' > .gitattributes`),
  submodules: executing(`printf '[submodule "x"]\\n\\tpath = x\\n\\turl = /nowhere\\n' > .gitmodules`),
  config: executing('', { files: { '.sluice/config.yaml': OWN_CONFIG }, config: 'guardedPaths: []\n' }),
  shims: executing(
    `for d in . bin node_modules/.bin; do mkdir -p $d; for n in ${SHIMS.join(' ')}; do printf '${CANARY}' > $d/$n; chmod +x $d/$n; done; done`,
  ),
  locked: executing('mkdir -p deep/er && echo x > deep/er/file && chmod -R a-w deep a.txt && chmod a-w .'),
  links: executing('ln -s /etc deep; ln -s ../../../../.. up'),
  steering: executing(`mkdir .claude && echo '{}' > .claude/settings.json`),
} satisfies Record<string, RunCase>;

describe('an agent that leaves in its worktree', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const committed = ({ repository, run }: EndedRun) =>
    repository
      .git('diff', '--name-only', 'main', `sluice/${run.runId}`)
      .split('\n')
      .filter((line) => line !== '');
  const canaries = () => readdirSync(host.env['HOME'] ?? '').filter((name) => name.startsWith('canary'));

  it('a FIFO, a device and a socket: none is read or committed, and the run ends as it would have', () => {
    expect(runs.odd.result).toMatchObject({ outcome: 'merge_ready', error: null });
    expect(committed(runs.odd)).toEqual(['a.txt']);
  });

  it('a FIFO in the place of a tracked file: nothing waits for it, and the run ends blocked', () => {
    expect(runs.replaced.result).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
    expect(runs.replaced.result.error).toContain('keep.txt');
    expect(committed(runs.replaced)).toEqual([]);
  });

  it('a sparse file of 100 GB: it is not read, and the run ends blocked', () => {
    expect(runs.sparse.result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation' });
    expect(runs.sparse.result.error).toContain('"huge.bin" 107374 MB');
    expect(existsSync(join(runs.sparse.view.worktree ?? '', 'huge.bin'))).toBe(false);
  });

  it.each([
    ['.gitattributes', 'attributes'],
    ['.gitmodules', 'submodules'],
    ['.claude/settings.json', 'steering'],
  ] as const)('a %s: nothing of it is used, and a person must look before a later turn could read it', (path, name) => {
    expect(runs[name].result).toMatchObject({ outcome: 'blocked', blockedReason: 'guarded_paths' });
    expect(runs[name].result.error).toContain(path);
    expect(runs[name].turns).toEqual(['executing']);
  });

  it('a .sluice/config.yaml of its own: the run goes on by the one that was frozen, though no path is guarded', () => {
    expect(committed(runs.config)).toEqual(['.sluice/config.yaml', 'a.txt']);
    expect(runs.config.result.outcome).toBe('merge_ready');
    expect(runs.config.turns).toEqual(['executing', 'reviewing', 'verifying']);
    expect(readFileSync(join(runs.config.run.runDir, 'report.md'), 'utf8')).toContain('grep -q changed a.txt');
    expect(canaries()).toEqual([]);
  });

  it('programs named git, grep, sh, node and temporal: neither engine nor checks start one', () => {
    expect(runs.shims.result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
    expect(committed(runs.shims)).toEqual(expect.arrayContaining(['git', 'bin/grep', 'node_modules/.bin/node']));
    expect(canaries()).toEqual([]);
  });

  it('read-only folders: the change is committed all the same', () => {
    expect(runs.locked.result.outcome).toBe('merge_ready');
    expect(committed(runs.locked)).toEqual(['a.txt', 'deep/er/file']);
  });

  it('symlinks that lead out: the change is rolled back, and the run ends blocked', () => {
    expect(runs.links.result).toMatchObject({
      outcome: 'blocked',
      blockedReason: 'policy_violation',
      verdict: 'unsafe',
    });
    expect(runs.links.repository.git('rev-parse', `sluice/${runs.links.run.runId}`)).toBe(
      runs.links.repository.git('rev-parse', 'main'),
    );
    expect(existsSync(join(runs.links.view.worktree ?? '', 'deep'))).toBe(false);
  });
});
