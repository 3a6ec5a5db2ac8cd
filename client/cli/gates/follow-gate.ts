/**
 * Tells which gate of a watched run is open. The run view names it; the gate itself comes from the run, or from its files where no worker
 * answers. A gate that cannot be read yet is asked for again until the view names another.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { type GatedRun, type GateSource, gatesOf, openGates } from '../../look/open-gates.js';

export interface FollowedGates extends GatedRun {
  readonly sluice: GateSource;
  /** Null: none is open any more. */
  readonly onGate: (gate: Gate | null) => void;
  readonly againMs?: number;
}

export interface GateFollower {
  view(view: RunView): void;
  /** Nothing is told after it. */
  close(): void;
}

/** **Unit** ms. */
const AGAIN_MS = 500;

export function followGates(followed: FollowedGates): GateFollower {
  const { onGate, sluice, againMs = AGAIN_MS } = followed;
  let wanted: string | null = null;
  let shown = false;
  const look = async (id: string) => {
    while (wanted === id) {
      const gates = await gatesOf(followed, sluice);
      const gate = openGates(gates ?? []).find((open) => open.id === id);
      if (wanted !== id) return;
      if (gate !== undefined) {
        shown = true;
        onGate(gate);
        return;
      }
      await delay(againMs);
    }
  };
  return {
    view({ pendingApprovalId }) {
      if (pendingApprovalId === wanted) return;
      wanted = pendingApprovalId;
      if (shown) {
        shown = false;
        onGate(null);
      }
      if (wanted !== null) void look(wanted);
    },
    close() {
      wanted = null;
    },
  };
}
