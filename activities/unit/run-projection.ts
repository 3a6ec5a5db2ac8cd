/**
 * The projection and the artifact store of a run, as its record says. What the projection met on its way (an entry moved aside, a step that
 * was skipped) goes to the worker's log, and what was moved also into the journal, by the next turn or the report that takes it.
 */
import { log } from '@temporalio/activity';
import { messageOf } from '../../config/system/error-code.js';
import { noFailpoint } from '../../protocol/failpoints.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import { type ArtifactStore, createArtifactStore } from '../journal/artifact-store.js';
import type { FoundEntry } from '../journal/clear-way.js';
import { createRunProjection, type RunProjection } from '../journal/projection.js';
import type { HostDeps } from './host-deps.js';
import type { RunOnHost } from './run-record.js';
import { redactorOf } from './run-redactor.js';
import type { Workplace } from './workplace.js';

export type Warn = (message: string, fields: Record<string, unknown>) => void;

/** `warn`: for callers that are no activity. */
export type ProjectionDeps = Pick<HostDeps, 'durability'> &
  Partial<Pick<HostDeps, 'failpoint'>> & { readonly warn?: Warn };

/** By state folder. In memory: a worker that dies before it told loses the line, not the entry. */
const untold = new Map<string, FoundEntry[]>();

/** Each sentence once a process: a run that cannot be shown says so at every step. */
const warned = new Set<string>();

export function projectionOf(deps: ProjectionDeps, run: RunOnHost<Workplace>): RunProjection {
  const { record, stateDir } = run;
  const { runId } = record;
  const warn: Warn = deps.warn ?? ((message, fields) => log.warn(message, fields));
  return createRunProjection({
    repo: record.repository.root,
    runsDir: record.policy.runsDir,
    runId,
    fsync: deps.durability === 'power',
    failpoint: deps.failpoint ?? noFailpoint,
    redactor: redactorOf(run),
    outputBytes: record.policy.limits.outputBytes,
    found: (entry) => {
      untold.set(stateDir, [...(untold.get(stateDir) ?? []), entry]);
      warn('an entry of the run directory was not ours and was moved aside', { runId, ...entry });
    },
    skipped: (what, error) => {
      const key = `${stateDir}\0${what}`;
      if (warned.has(key)) return;
      warned.add(key);
      warn('a file of the run directory cannot be written; the run goes on', {
        runId,
        file: what,
        error: messageOf(error),
      });
    },
  });
}

/** Sentences about what was moved aside since the last call. */
export function takeFound({ record, stateDir }: RunOnHost): readonly string[] {
  const entries = untold.get(stateDir) ?? [];
  untold.delete(stateDir);
  const relative = (path: string) => path.slice(record.runDir.length - record.runId.length);
  return entries.map(
    ({ path, movedTo, what }) =>
      `${what} stood at ${relative(path)}, where the engine writes; it is now ${relative(movedTo)}`,
  );
}

/** `redactor`: of the run; what was redacted by another keeps its name only where it is stored as it is. */
export function artifactsOf(
  deps: Pick<HostDeps, 'home' | 'durability'>,
  run: RunOnHost,
  redactor: Redactor = redactorOf(run),
): ArtifactStore {
  const options = { root: deps.home.root, fsync: deps.durability === 'power' };
  return createArtifactStore(`${run.stateDir}/artifacts`, options, redactor);
}
