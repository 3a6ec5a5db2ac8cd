/**
 * What a person does after a run: `git status` in checkout and worktree, as a shell prompt does it by `cd`. Git itself tells what it starts
 * (trace2), and every program that it takes from PATH is a shim that writes a mark. Also how large the repository is by now.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepository } from '../support/test-repository.js';
import type { PlannedRun } from './plan-runs.js';
import type { World } from './world.js';

const SHIMMED = [
  'sh',
  'bash',
  'ssh',
  'gpg',
  'less',
  'more',
  'vi',
  'editor',
  'git-lfs',
  'watchman',
  'cat',
  'id',
  'touch',
  'env',
  'perl',
];

export interface Look {
  readonly run: string;
  /** What git started: `<place>: <program and arguments>`. */
  readonly started: readonly string[];
  /** Bytes of the repository with its run directory. */
  readonly bytes: number;
}

export interface LookInput {
  readonly world: World;
  readonly repository: TestRepository;
  readonly worktree: string;
  readonly planned: PlannedRun;
}

export async function lookAsPerson({ world, repository, worktree, planned }: LookInput): Promise<Look> {
  const trace = join(world.host.folder, `trace-${planned.name}.jsonl`);
  const shims = shimFolder(world.host.folder);
  const started: string[] = [];
  for (const [name, place] of [
    ['checkout', repository.path],
    ['worktree', worktree],
  ] as const) {
    if (!existsSync(place)) continue;
    writeFileSync(trace, '');
    try {
      execFileSync('git', ['status'], {
        cwd: place,
        env: {
          PATH: `${shims}:${world.host.env['PATH']}`,
          HOME: world.facts.PERSON,
          GIT_TRACE2_EVENT: trace,
          SHIM_LOG: trace,
        },
        stdio: 'ignore',
        timeout: 20_000,
      });
    } catch {
      // A worktree that is broken is broken; what counts is what was started on the way.
    }
    started.push(...startsIn(trace).map((what) => `${name}: ${what}`));
  }
  return { run: planned.name, started: [...new Set(started)], bytes: bytesOf(repository.path) };
}

function startsIn(trace: string): string[] {
  return readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('shim ')) return [line];
      if (!line.includes('"event":"child_start"')) return [];
      const { argv } = JSON.parse(line) as { argv?: readonly string[] };
      return [(argv ?? []).join(' ')];
    });
}

function shimFolder(folder: string): string {
  const path = join(folder, 'shims');
  if (existsSync(path)) return path;
  mkdirSync(path);
  for (const name of SHIMMED) {
    const real = execFileSync('/bin/sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(path, name),
      `#!/bin/sh\necho "shim ${name} $*" >> "$SHIM_LOG"\n${real === '' ? '' : `exec ${real} "$@"`}\n`,
    );
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

/** As the disk counts them, so that holes cost nothing; links are not followed. By `du`, which no path is too deep for. */
export function bytesOf(path: string): number {
  if (!existsSync(path)) return 0;
  // What ends while it looks is no error.
  const { stdout } = spawnSync('du', ['-s', '-B1', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return Number(stdout.split('\t')[0]);
}
