/** What there is to look at once a run is over: its worktree, its record, its repository, and what its person would be shown. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult } from '../../protocol/messages/messages.js';
import { sluiceBeside } from '../support/host-cli.js';
import type { TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import type { Facts } from './facts.js';
import { bytesOf } from './person-look.js';
import type { Aftermath } from './try.js';
import type { World } from './world.js';

/** More is not read: what an agent left may be of any size. */
const READ_BYTES = 20_000_000;

interface EndedTries {
  readonly world: World;
  readonly run: TestRun;
  readonly repository: TestRepository;
  readonly result: RunResult;
  /** Empty where the run never had one. */
  readonly worktree: string;
  readonly facts: Facts;
  readonly workerGrew: number;
}

export function aftermathOf(ended: EndedTries): Omit<Aftermath, 'loot'> {
  const { world, run, repository, result, worktree, facts, workerGrew } = ended;
  const { host, secrets } = world;
  const events = run.events();
  const shown = async () => {
    const commands = [
      ['status', run.runId],
      ['logs', run.runId],
    ];
    const said = await Promise.all(commands.map((args) => sluiceBeside(host, args, { cwd: repository.path })));
    return said.map(({ stdout }) => stdout).join('\n');
  };
  const gitFails = (...args: readonly string[]) => {
    try {
      repository.git(...args);
      return false;
    } catch {
      return true;
    }
  };
  return {
    host,
    facts,
    secrets,
    result,
    workerGrew,
    textOf,
    gitFails,
    shown,
    runId: run.runId,
    told: `${JSON.stringify(events)} ${JSON.stringify(result)}`,
    eventTypes: events.map(({ type }) => type),
    bytesLeft: bytesOf(repository.path) + bytesOf(worktree.replace('/worktrees/', '/state/')),
    has: (path) => lstatSync(join(worktree, path), { throwIfNoEntry: false }) !== undefined,
    worktreeText: (path) => textOf(join(worktree, path)),
    recorded: (text) => filesBelow(run.runDir).some((path) => textOf(path).includes(text)),
    isAlive: (pid) => existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(textOf(`/proc/${pid}/stat`)),
    git: (...args) => (gitFails(...args) ? '' : repository.git(...args)),
  };
}

/** Empty for what is none, or too large. */
export function textOf(path: string, maxBytes = READ_BYTES): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > maxBytes) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A file of /proc whose process ended a moment ago.
    return '';
  }
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
