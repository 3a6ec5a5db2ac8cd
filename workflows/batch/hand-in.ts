/** A task of a batch that goes into the backlog of its repository: a number, instead of a run. */
import { ActivityFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Verdict } from '../../protocol/actors/backlog.js';
import { runIdOfItem } from '../../protocol/actors/item.js';
import { anyHost, controlHost, findingHost } from '../activity-options.js';
import type { PlannedTask } from './batch-tasks.js';
import { type Address, type Fate, type HandedIn, notStarted } from './fates.js';
import { whyRefused } from './refused-hand-in.js';

/**
 * Hands the tasks of one batch in. The first host that says whose backlog the tasks of a repository belong to is asked for all of them: another one has that repository under another
 * name, and its backlog would be another or refuse them.
 */
export class HandIns {
  /** By repository. Null: who asked was not told. */
  private readonly hosts: Map<string, Promise<string | null>>;

  /** `known`: by repository. `pin` hears of each that is found. */
  constructor(
    known: Readonly<Record<string, string>>,
    private readonly pin: (repo: string, host: string) => void,
  ) {
    this.hosts = new Map(Object.entries(known).map(([repo, host]) => [repo, Promise.resolve(host)]));
  }

  /**
   * One try. The run id that it would have is its key: the same task of the same batch is handed in once, and another firing of a schedule is another batch. What may be in one backlog
   * is sent to no other.
   */
  async take(task: PlannedTask, known: Address | null): Promise<HandedIn> {
    let sent = known;
    try {
      const address = sent ?? (await this.addressOf(task));
      sent = address;
      // What was sent may have been taken, so its answer is waited for.
      const verdict = await CancellationScope.nonCancellable(() => controlHost().handIn(handInOf(task, address)));
      return fateOf(address.project, verdict);
    } catch (error) {
      if (isCancellation(error)) return notStarted(sent !== null);
      if (!(error instanceof ActivityFailure)) throw error;
      const why = whyRefused(error);
      return why === null ? { state: 'away', sent } : { state: 'refused', error: why };
    }
  }

  private async addressOf({ input: { repo, host, base } }: PlannedTask): Promise<Address> {
    const asked = { repo, base: base ?? null };
    for (;;) {
      const asking = host === undefined ? this.hosts.get(repo) : Promise.resolve(host);
      const known = (await asking) ?? null;
      if (known !== null) return { host: known, project: (await findingHost(known).findBacklog(asked)).project };
      // Somebody else asks by now.
      if (this.hosts.get(repo) !== asking) continue;
      const found = anyHost().findBacklog(asked);
      this.hosts.set(
        repo,
        found.then(
          ({ hostId }) => hostId,
          () => null,
        ),
      );
      const { hostId, project } = await found;
      this.pin(repo, hostId);
      return { host: hostId, project };
    }
  }
}

function handInOf(
  { runId: key, terms, input: { repo, host: _host, ...task } }: PlannedTask,
  { project, host }: Address,
) {
  const by = workflowInfo().workflowId;
  return { project, create: { key, repo, host, by, tasks: [{ ...task, ...terms }] } };
}

function fateOf(project: string, verdict: Verdict | null): Fate {
  if (verdict === null) return { state: 'handed_in', error: 'its host is away; it is taken in once that is back' };
  if (verdict.kind === 'refused') return { state: 'refused', error: verdict.why };
  if (verdict.kind === 'duplicate' || verdict.kind === 'compared')
    return { state: 'refused', error: verdict.kind === 'duplicate' ? verdict.reason : 'it was only compared' };
  const runId = runIdOfItem({ project, id: verdict.id }, 1);
  return { state: verdict.kind === 'known' ? 'skipped' : 'handed_in', runId };
}
