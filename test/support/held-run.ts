/**
 * A run that stands still at a named moment of its life while something happens to its worktree, its branch or its repository.
 * Many of them share one host: each has a repository and a go file of its own.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedTurn } from '../../activities/agent/scripted/fixture.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { type RunTraces, startsOf, tracesOf } from './run-traces.js';
import { openTestHost, type TestHost, type TestRun } from './test-host.js';
import { fixtureWith, PLAIN_FIXTURE, type TestRepository } from './test-repository.js';
import { until } from './until.js';

export const MOMENTS = ['in a turn', 'between two turns', 'in a validation', 'at a gate'] as const;

export type Moment = (typeof MOMENTS)[number];

export interface HeldRun {
  readonly run: TestRun;
  readonly repository: TestRepository;
  readonly worktree: string;
  readonly branch: string;
  readonly baseSha: string;
  /** The run's own tip at the moment. */
  readonly head: string;
  /** Git in the worktree, as a person calls it. */
  inWorktree(...args: readonly string[]): string;
  /** Lets the run go on; resolves when that was accepted. */
  letGo(): Promise<void>;
}

/** A host with a worker and room for many agents at once: the cases of a file stand still side by side. */
export async function openRoomyHost(): Promise<TestHost> {
  const host = await openTestHost();
  const folder = join(host.folder, 'person/.config/sluice');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), 'version: 1\nslots: 16\n');
  await host.startWorker();
  return host;
}

/** Lets it go and waits for its end. `living` is left out: other runs of the host may be at work. */
export async function endOf(host: TestHost, held: HeldRun): Promise<Omit<RunTraces, 'living'>> {
  await held.letGo();
  return tracesAfter(host, held);
}

export async function tracesAfter(host: TestHost, { run, repository }: HeldRun): Promise<Omit<RunTraces, 'living'>> {
  const { living: _living, ...traces } = await tracesOf({ run, repository, home: host.home });
  return traces;
}

export interface HeldRunOptions {
  readonly attended: boolean;
  /** Instead of those of the plain fixture. */
  readonly stages?: Readonly<Partial<Record<TurnStage, ScriptedTurn>>>;
  /** YAML of top-level keys that are not set here. */
  readonly config?: string;
  /** In the person's checkout; committed unless ignored. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a plain run leaves, whatever was done to it in between. */
export const PLAIN_END = {
  outcome: 'merge_ready',
  error: null,
  agents: ['planning', 'architecting', 'executing', 'reviewing', 'verifying'].flatMap((stage) => [
    `${stage} START`,
    `${stage} END`,
  ]),
  commits: 1,
} as const;

/** `moment` 'in a turn': the executing agent has not changed anything; later ones: the change is committed. */
export async function holdRun(
  host: TestHost,
  moment: Moment,
  { attended, stages = {}, config = '', files: checkout = {} }: HeldRunOptions,
): Promise<HeldRun> {
  const files = goFiles(host);
  const executing = { ...PLAIN_FIXTURE.stages.executing, ...stages.executing };
  const holdsTurn = moment === 'in a turn' || moment === 'between two turns';
  const repository = await host.repository({
    files: checkout,
    config: `${config}${configOf(moment, files)}`,
    fixture: fixtureWith({ ...stages, executing: { ...executing, ...(holdsTurn ? { waitFor: files.go } : {}) } }),
  });
  const run = await host.startRun(repository, { attended });
  const { handle } = run;
  const update = (name: string) => handle.executeUpdate(name, { args: [{}] });
  const untilStatus = (status: string) => until(async () => (await run.view()).status === status);
  switch (moment) {
    case 'in a turn':
      await until(() => startsOf(repository, 'executing') > 0);
      break;
    case 'between two turns':
      await until(() => startsOf(repository, 'executing') > 0);
      await update('pause');
      writeFileSync(files.go, '');
      await untilStatus('paused');
      break;
    case 'in a validation':
      await until(() => existsSync(files.reached));
      break;
    case 'at a gate':
      await untilStatus('waiting_for_approval');
  }
  const letGo = async () => {
    if (moment === 'between two turns') await update('resume');
    else if (moment === 'at a gate') await update('approve');
    else writeFileSync(files.go, '');
  };
  return heldRun(run, repository, { view: await run.view(), letGo });
}

interface GoFiles {
  readonly reached: string;
  readonly go: string;
}

function goFiles(host: TestHost): GoFiles {
  const folder = join(host.folder, `held-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
  return { reached: join(folder, 'reached'), go: join(folder, 'go') };
}

function configOf(moment: Moment, { reached, go }: GoFiles): string {
  const wait = `touch ${reached}; n=0; while [ ! -e ${go} ] && [ $n -lt 1200 ]; do n=$((n + 1)); sleep 0.05; done; `;
  const command = `${moment === 'in a validation' ? wait : ''}grep -q changed a.txt`;
  const gate = moment === 'at a gate' ? 'gates:\n  stages: [reviewing]\n  unattendedExpire: 1h\n' : '';
  return `limits:\n  heartbeat: 2s\n  killGrace: 500ms\n${gate}validation:\n  commands: [${JSON.stringify(command)}]\n`;
}

function heldRun(
  run: TestRun,
  repository: TestRepository,
  { view, letGo }: { view: RunView; letGo: () => Promise<void> },
): HeldRun {
  const { worktree, branch, baseSha, headSha } = view;
  if (worktree === null || branch === null || baseSha === null || headSha === null)
    throw new Error('the run is not open');
  return {
    run,
    repository,
    worktree,
    branch,
    baseSha,
    letGo,
    head: headSha,
    inWorktree: (...args) => repository.git('-C', worktree, ...args),
  };
}
