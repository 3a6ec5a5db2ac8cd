/**
 * A backlog that begins may be one that somebody ended: tasks of it are at work, or wait. It asks the server which are open, and each of them how it stands, and starts nothing before all have
 * answered or are gone, so that never more are at work than may. Pure. Source: V-132.
 */
import { itemWorkflowId } from '../../protocol/actors/item.js';
import type { BacklogErrand, BacklogState, BacklogStep } from './backlog-state.js';

const AGAIN_MS = 60_000;

/** The server is asked which are open. */
export function seekOpen(state: BacklogState): BacklogStep {
  const { project } = state;
  return { state: { ...state, seekAtMs: null }, errands: [{ kind: 'findOpen', workflowId: 'open items', project }] };
}

/** It did not tell. */
export function seekLater(state: BacklogState, now: number): BacklogState {
  return { ...state, seekAtMs: now + AGAIN_MS };
}

/** Those that have not told by themselves meanwhile are asked. */
export function readOpen(state: BacklogState, ids: readonly string[]): BacklogStep {
  const { project, rows } = state;
  const known = new Set(rows.map(({ id }) => id));
  const unheard = ids.filter((id) => !known.has(id));
  const errands = unheard.map(
    (id): BacklogErrand => ({
      ...{ kind: 'ask', workflowId: itemWorkflowId({ project, id }), id, known: 0, topic: 'ask' },
    }),
  );
  return { state: { ...state, unheard }, errands };
}

/** It told how it stands, or is gone. */
export function withHeard(state: BacklogState, id: string): BacklogState {
  const { unheard } = state;
  return unheard === null || !unheard.includes(id)
    ? state
    : { ...state, unheard: unheard.filter((other) => other !== id) };
}
