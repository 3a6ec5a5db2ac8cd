/**
 * A backlog that begins may be one that somebody ended: tasks of it are at work, or wait. It asks the server which are open, and each of them how it stands; until one has told it counts as
 * at work, so that never more are than may. Pure. Source: V-132.
 */
import { itemWorkflowId } from '../../protocol/actors/item.js';
import type { BacklogErrand, BacklogState, BacklogStep } from './backlog-state.js';

const LAST_SEEK_MS = 60 * 60_000;

/** Asked at once: ten thousand at a time are more than one history holds. */
const AT_ONCE = 500;

/** The server is asked which are open. */
export function seekOpen(state: BacklogState): BacklogStep {
  const { project, seek } = state;
  const everyMs = seek.atMs === null ? seek.everyMs : Math.min(2 * seek.everyMs, LAST_SEEK_MS);
  return {
    state: { ...state, seek: { atMs: null, everyMs } },
    errands: [{ kind: 'findOpen', workflowId: 'open items', project }],
  };
}

/** It did not tell. */
export function seekLater(state: BacklogState, now: number): BacklogState {
  const { everyMs } = state.seek;
  return { ...state, seek: { atMs: now + everyMs, everyMs } };
}

/** Those that have not told by themselves meanwhile are asked, and again as long as one is silent. What visibility did not show yet is found then. */
export function readOpen(state: BacklogState, ids: readonly string[], now: number): BacklogStep {
  const unheard = ids.filter((id) => state.rows.find(id) === undefined);
  const next = { ...state, unheard };
  return {
    state: unheard.length === 0 ? next : seekLater(next, now),
    errands: unheard.slice(0, AT_ONCE).map((id) => askOf(state, id)),
  };
}

/** It told how it stands, or is gone: the next is asked. */
export function withHeard(state: BacklogState, id: string): BacklogStep {
  const at = state.unheard?.indexOf(id) ?? -1;
  if (state.unheard === null || at < 0) return { state, errands: [] };
  const unheard = state.unheard.filter((other) => other !== id);
  const next = at < AT_ONCE ? unheard[AT_ONCE - 1] : undefined;
  const seek = unheard.length === 0 ? { ...state.seek, atMs: null } : state.seek;
  return { state: { ...state, unheard, seek }, errands: next === undefined ? [] : [askOf(state, next)] };
}

function askOf({ project }: BacklogState, id: string): BacklogErrand {
  return { kind: 'ask', workflowId: itemWorkflowId({ project, id }), id, known: 0, topic: 'ask' };
}
