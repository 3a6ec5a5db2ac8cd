/**
 * The demo's own person, where nobody sits at a terminal: sees the open gate, says what it is about, and approves it by the message that
 * `sluice approve` sends. On a terminal the live view asks, and this does nothing; with a page it says where it is decided.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Sluice } from '../../sluice.js';
import type { Io } from '../terminal/io.js';

/** **Unit** ms. */
const LOOK_MS = 100;

export interface GateToDecide {
  readonly sluice: Sluice;
  readonly workflowId: string;
  readonly ended: AbortSignal;
  readonly say: (text: string) => void;
  /** Where a person decides it in a browser; null: they do not. */
  readonly decidedAt: (() => string) | null;
}

/** Ends with `ended`, too. Answers whether it decided. */
export async function decideGate(
  { io }: { readonly io: Io },
  { sluice, workflowId, ended, say, decidedAt }: GateToDecide,
): Promise<boolean> {
  if (io.interactive && decidedAt === null) return false;
  while (!ended.aborted) {
    const details = await sluice.details(workflowId).catch(() => null);
    const gate = details?.gates.find(({ status }) => status === 'pending');
    if (gate !== undefined && decidedAt !== null) {
      say(`${gate.id} waits for you before ${gate.stage}. Decide it in your browser: ${decidedAt()}`);
      return false;
    }
    if (gate !== undefined) {
      say(
        `${gate.id} waits for a person before ${gate.stage}. Nobody sits here, so the demo approves it, as "sluice approve" would.`,
      );
      const argument = {
        gate: gate.id,
        note: 'red tests are green now',
        by: 'sluice demo',
        ...(gate.commit === null ? {} : { commit: gate.commit }),
      };
      const sent = await sluice.send(workflowId, { name: 'approve', argument });
      return sent.kind === 'accepted' || sent.kind === 'queued';
    }
    await delay(LOOK_MS);
  }
  return false;
}
