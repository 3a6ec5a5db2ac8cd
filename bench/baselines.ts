/** What the same work costs without sluice, measured beside every run: bare git, the agent and the command by hand. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TURNS, VALIDATION_COMMAND } from './bench-agent.js';
import type { BenchHost } from './bench-host.js';
import { median } from './median.js';
import { timedProcess } from './timed-process.js';

let added = 0;

interface Bare {
  readonly ms: number;
  readonly path: string;
  readonly branch: string;
}

/** `git worktree add` with a new branch and all files, as a person would type it. */
export async function addBare({ folder, repository }: BenchHost): Promise<Bare> {
  added += 1;
  const path = join(folder, 'bare', String(added));
  const branch = `bare-${added}`;
  const ms = await timedProcess(['git', 'worktree', 'add', '-q', '-b', branch, path, 'HEAD'], { cwd: repository });
  return { ms, path, branch };
}

/** The worktree is removed again, outside the time. */
export async function worktreeAdd(host: BenchHost): Promise<number> {
  const { ms, ...bare } = await addBare(host);
  await removeBare(host, bare);
  return ms;
}

export async function removeBare(
  { repository: cwd }: BenchHost,
  { path, branch }: Pick<Bare, 'path' | 'branch'>,
): Promise<void> {
  await timedProcess(['git', 'worktree', 'remove', '--force', path], { cwd });
  await timedProcess(['git', 'branch', '-q', '-D', branch], { cwd });
}

export interface OwnTimes {
  /** The bench agent with a real prompt, the median of its five turns. */
  readonly agentMs: number;
  readonly commandMs: number;
}

/** With the prompts of a finished run. Precondition: that run closed merge_ready. */
export async function ownTimes(host: BenchHost, runId: string): Promise<OwnTimes> {
  const samples = await agentsByHand(host, runId);
  const hand = join(host.agent.holdPath, '..', 'by-hand');
  if (!existsSync(join(hand, 'changed.txt'))) throw new Error('the agent changed nothing by hand');
  return {
    agentMs: median(samples) ?? 0,
    commandMs: await timedProcess(['/bin/sh', '-c', VALIDATION_COMMAND], { cwd: hand }),
  };
}

/** Each turn of a finished run again, one after the other, in an ordinary folder. Unit: ms. */
export async function agentsByHand({ agent, repository }: BenchHost, runId: string): Promise<readonly number[]> {
  const turns = join(repository, '.sluice/runs', runId, 'turns');
  const samples: number[] = [];
  for (const turn of readdirSync(turns)) {
    const prompt = readFileSync(join(turns, turn, 'prompt.md'), 'utf8');
    samples.push(await agent.byHand(turn.slice(turn.indexOf('-') + 1), prompt));
  }
  return samples;
}

/** What of a run's time is the agent's and the command's own. */
export function ownMs({ agentMs, commandMs }: OwnTimes): number {
  return TURNS * agentMs + commandMs;
}
