/**
 * Takes tasks of one project in and says which may start, `backlog:<project>`. It asks no model and owns no state of a task: that is its item's.
 * Waits for: Signal `itemChanged` of items; `create`, `pause`, `resume` of people, which are Updates too; its host, which stores and numbers tasks; its own timer.
 * Survives: the loss of worker, server and host; an item that waits starts a lost one anew by its report. Ends: never; it continues as new.
 */
import { ActivityFailure, ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  BACKLOG_SIGNALS,
  BACKLOG_UPDATES,
  type BacklogView,
  backlogId,
  projectOfBacklog,
  readBacklogMessage,
} from '../../protocol/actors/backlog.js';
import { DEPENDENCY_FAILED_SIGNAL, REPORT_SIGNAL, SLOT_GRANTED_SIGNAL } from '../../protocol/actors/item.js';
import { isProject, PROJECT_RULE } from '../../protocol/actors/project.js';
import { DEFAULT_BACKLOG } from '../../protocol/run/backlog-policy.js';
import { badInputFailure } from '../../protocol/text/refusal.js';
import { admittingHost, controlHost } from '../activity-options.js';
import { isHostAway } from '../actor/away-host.js';
import type { Carried } from '../actor/core.js';
import { LiveActor, trusted } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { answerTo } from './admission.js';
import { type BacklogErrand, type BacklogEvent, emptyBacklog } from './backlog-state.js';
import { BACKLOG_RULES } from './backlog-table.js';
import { showBacklog, viewOf } from './backlog-view.js';
import { type PackedBacklog, packBacklog, unpackBacklog } from './pack-rows.js';

/** `carried` null: there was no execution before. Errors: BadInput where its workflow id names no project. */
export async function backlog(carried: Carried<PackedBacklog> | null = null): Promise<BacklogView> {
  const { workflowId } = workflowInfo();
  const project = projectOfBacklog(workflowId);
  if (backlogId(project) !== workflowId || !isProject(project))
    throw ApplicationFailure.create(
      badInputFailure('workflowId', `a backlog is called backlog:<project>; a project has ${PROJECT_RULE}`),
    );
  const before = trusted(carried);
  const one = new LiveActor(
    {
      rules: BACKLOG_RULES,
      // Its terms come with the first task: until then what is ready is not enough.
      first: emptyBacklog(project, { ...DEFAULT_BACKLOG, from: 'base' }),
      signals: BACKLOG_SIGNALS,
      updates: BACKLOG_UPDATES,
      // The host knows the tasks that it took in.
      forgotten: ['create', 'compare'],
      read: readBacklogMessage,
      answer: (state, event: BacklogEvent) => (event.kind === 'create' ? answerTo(state, event) : {}),
      perform,
      show: showBacklog,
      view: viewOf,
    },
    before === null ? null : { ...before, state: unpackBacklog(before.state) },
  );
  if (!one.isHandedOver) one.tell({ kind: 'begin' });
  return one.live((next) => continueAsNew<typeof backlog>({ ...next, state: packBacklog(next.state) }));
}

async function perform(errand: BacklogErrand, tell: (event: BacklogEvent) => void): Promise<void> {
  switch (errand.kind) {
    case 'admit':
      return tell(await admit(errand));
    case 'start': {
      const ids = errand.items.map(({ id }) => id);
      const isDone = await isPerformed(controlHost().startItems({ items: errand.items }));
      return tell({ kind: 'started', isDone, ids });
    }
    case 'findOpen': {
      const found = await controlHost().findOpenItems(errand.project).catch(whyOf);
      return tell(typeof found === 'string' ? { kind: 'openUnknown' } : { kind: 'open', ids: found.ids });
    }
    case 'grant':
    case 'ask': {
      const { workflowId, id } = errand;
      const [name, argument] =
        errand.kind === 'grant' ? [SLOT_GRANTED_SIGNAL, errand.grant] : [REPORT_SIGNAL, { known: errand.known }];
      const isThere = await sendSignal({ workflowId, executionRunId: null, name, argument });
      if (!isThere) tell({ kind: 'unreachable', id });
      return;
    }
    case 'stopItem': {
      const { workflowId, id, by } = errand;
      const argument = { by, note: 'its backlog was stopped' };
      const isThere = await sendSignal({ workflowId, executionRunId: null, name: 'stop', argument });
      if (!isThere) tell({ kind: 'unreachable', id });
      return;
    }
    case 'failDependency': {
      const { workflowId, id, dependency, reason } = errand;
      const argument = { id: dependency, reason };
      const isThere = await sendSignal({ workflowId, executionRunId: null, name: DEPENDENCY_FAILED_SIGNAL, argument });
      if (!isThere) tell({ kind: 'unreachable', id });
      return;
    }
    case 'lookAtItem': {
      const { id, workflowId } = errand;
      const found = await controlHost().findItem(workflowId).catch(whyOf);
      if (typeof found !== 'string') tell({ kind: 'found', id, found });
      return;
    }
    case 'lookAtRun': {
      const { id, runId } = errand;
      const found = await controlHost().readRunToLand(runId).catch(whyOf);
      // What the server does not tell is asked again.
      if (typeof found !== 'string') tell({ kind: 'looked', id, isOpen: found.kind === 'open' });
    }
  }
}

async function admit({ host, input }: Extract<BacklogErrand, { kind: 'admit' }>): Promise<BacklogEvent> {
  try {
    const summary = `take ${input.tasks.length} task(s) in`;
    const result = await admittingHost(host).admit.executeWithOptions({ summary }, [input]);
    return { kind: 'admitted', result, told: (input.closed ?? []).map(({ id }) => id) };
  } catch (error) {
    return isHostAway(error) ? { kind: 'away', host } : { kind: 'unadmitted', why: whyOf(error) };
  }
}

async function isPerformed(work: Promise<void>): Promise<boolean> {
  return typeof (await work.catch(whyOf)) !== 'string';
}

/** Errors: what is no failure of an activity. */
function whyOf(error: unknown): string {
  if (!(error instanceof ActivityFailure)) throw error;
  return error.cause?.message ?? error.message;
}
