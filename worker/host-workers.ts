/** The workers of one host: light work, turns, checks, forges, and the question which host serves a repository. They never load workflow code. */
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createAdmit } from '../activities/admission/admit.js';
import { createCompareAgain } from '../activities/admission/compare-again.js';
import { openIndexes } from '../activities/admission/dedup/index/index-thread.js';
import { createFindBacklog } from '../activities/admission/find-backlog.js';
import { createRunAsk } from '../activities/ask/run-ask.js';
import { createWriteQuestions } from '../activities/ask/write-questions.js';
import { createValidate } from '../activities/checks/validate.js';
import { createCleanRun } from '../activities/closing/clean-run.js';
import { createCloseRun } from '../activities/closing/close-run.js';
import type {
  AnyHostActivities,
  HostActivities,
  HostAsksActivities,
  HostChecksActivities,
  HostTurnActivities,
} from '../activities/index.js';
import { createCheckTree } from '../activities/landing/check-tree.js';
import { createExamineRepair } from '../activities/landing/examine-repair.js';
import { createFindBase } from '../activities/landing/find-base.js';
import { createFindKept } from '../activities/landing/find-head.js';
import { createLandEntry } from '../activities/landing/land-entry.js';
import { createLookAtBase } from '../activities/landing/look-at-base.js';
import { createPlanRepair } from '../activities/landing/plan-repair.js';
import type { LandingDeps } from '../activities/landing/queue-place.js';
import { createWatchBase } from '../activities/landing/watch-base.js';
import { createWriteLanding } from '../activities/landing/write-landing.js';
import { createDeliver } from '../activities/notify/deliver.js';
import { createOpenRun } from '../activities/opening/open-run.js';
import { createPickHost } from '../activities/opening/pick-host.js';
import { createRunTurn } from '../activities/turn/run-turn.js';
import { createFlushJournal } from '../activities/unit/flush-journal.js';
import { ANY_HOST_QUEUE, hostAsksQueue, hostChecksQueue, hostQueue, hostTurnsQueue } from '../protocol/names.js';
import { DATA_CONVERTER } from '../wire/data-converter.js';
import { createForgeWorker } from './forge-worker.js';

/** Journal lines, git and reports are short; a hundred runs may close at once. */
const LIGHT_SLOTS = 100;
const PICK_SLOTS = 10;
/** Two bases at a time. */
const CHECKS_SLOTS = 2;

export interface HostWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly deps: LandingDeps;
  /** Agent slots of this host. */
  readonly slots: number;
  /** Asks at once. */
  readonly askSlots: number;
}

export async function createHostWorkers({
  connection,
  namespace,
  deps,
  slots,
  askSlots,
}: HostWorkerOptions): Promise<readonly Worker[]> {
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace,
    dataConverter: DATA_CONVERTER,
    // The answer to a heartbeat carries the cancel: this is how long an abort waits.
    maxHeartbeatThrottleInterval: '1 second',
    // For light activities; turns go on under the guard whatever happens here.
    shutdownGraceTime: '10 seconds',
  };
  const { any, light } = lightActivities(deps);
  const turns: HostTurnActivities = { runTurn: createRunTurn(deps), validate: createValidate(deps) };
  const asks: HostAsksActivities = { runAsk: createRunAsk(deps) };
  const checks: HostChecksActivities = { checkTree: createCheckTree(deps) };
  const poll = (taskQueue: string, activities: object, slotsThere: number) =>
    Worker.create({
      ...shared,
      taskQueue,
      activities: { ...activities },
      maxConcurrentActivityTaskExecutions: slotsThere,
    });
  const { hostId } = deps;
  return Promise.all([
    poll(ANY_HOST_QUEUE, any, PICK_SLOTS),
    poll(hostQueue(hostId), light, LIGHT_SLOTS),
    poll(hostTurnsQueue(hostId), turns, slots),
    poll(hostAsksQueue(hostId), asks, askSlots),
    poll(hostChecksQueue(hostId), checks, CHECKS_SLOTS),
    createForgeWorker({ ...shared, deps }),
  ]);
}

function lightActivities(deps: LandingDeps): { readonly any: AnyHostActivities; readonly light: HostActivities } {
  const findKept = createFindKept(deps);
  const findBacklog = createFindBacklog(deps);
  const indexOf = openIndexes();
  const any: AnyHostActivities = { pickHost: createPickHost(deps), findBacklog, findKept };
  const light: HostActivities = {
    openRun: createOpenRun(deps),
    closeRun: createCloseRun(deps),
    flushJournal: createFlushJournal(deps),
    cleanRun: createCleanRun(deps),
    deliver: createDeliver(deps),
    findBase: createFindBase(deps),
    findKept,
    planRepair: createPlanRepair(deps),
    examineRepair: createExamineRepair(deps),
    writeLanding: createWriteLanding(deps),
    landEntry: createLandEntry(deps),
    lookAtBase: createLookAtBase(deps),
    watchBase: createWatchBase(deps),
    findBacklog,
    admit: createAdmit(deps, indexOf),
    compareAgain: createCompareAgain(deps, indexOf),
    writeQuestions: createWriteQuestions(deps),
  };
  return { any, light };
}
