/** A run in a repository of its own, from start to its end, for tests that look at what it left. */
import type { Fixture } from '../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunInput, RunResult } from '../../protocol/messages/messages.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import type { TestHost, TestRun } from './test-host.js';
import { fixtureWith, type RepositoryOptions, type TestRepository } from './test-repository.js';

export interface EndedRun {
  readonly run: TestRun;
  readonly repository: TestRepository;
  readonly result: RunResult;
  readonly view: RunView;
  readonly events: readonly JournalEvent[];
  /** `stage` or `stage:decision` (asked again) of each agent that was started, in order. */
  readonly turns: readonly string[];
}

export interface RunCase extends Pick<RepositoryOptions, 'config' | 'files'> {
  /** False: the agent keeps none, since it can write nothing outside its worktree; then no turn is told. Default: it does. */
  readonly ledger?: false;
  /** Instead of those of the plain fixture. */
  readonly stages?: Fixture['stages'];
  readonly input?: Partial<RunInput>;
  /** What a person does between the start of the run and its end. */
  readonly meanwhile?: (run: TestRun, repository: TestRepository) => Promise<void>;
}

export async function endedRun(
  host: TestHost,
  { stages = {}, input = {}, meanwhile, ledger, ...options }: RunCase,
): Promise<EndedRun> {
  const { ledger: name, ...fixture } = fixtureWith(stages);
  const kept = ledger === false || name === undefined ? fixture : { ...fixture, ledger: name };
  const repository = await host.repository({ ...options, fixture: kept });
  const run = await host.startRun(repository, input);
  await meanwhile?.(run, repository);
  const result = await run.result();
  const started = readLedger(repository.ledgerPath).filter(({ event }) => event === 'START');
  const turns = started.map(({ stage, ask }) => (ask === 'work' ? stage : `${stage}:${ask}`));
  return { run, repository, result, view: await run.view(), events: run.events(), turns };
}

/** All at once; the answer has the cases' names. */
export async function endedRuns<Name extends string>(
  host: TestHost,
  cases: Readonly<Record<Name, RunCase>>,
): Promise<Record<Name, EndedRun>> {
  const names = Object.keys(cases) as Name[];
  const ended = await Promise.all(names.map(async (name) => [name, await endedRun(host, cases[name])] as const));
  return Object.fromEntries(ended) as Record<Name, EndedRun>;
}
