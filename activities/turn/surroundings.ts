/**
 * What lies around a turn and is not its own: the repository's hooks and program-running config, and the person's checkout.
 * Looked at before the start and after the end; nothing is ever undone, for the person may have made the change.
 */

import type { Observation } from '../../protocol/messages/journal.js';
import { mayWrite } from '../../protocol/run/stages.js';
import { isRecord } from '../../protocol/text/json.js';
import { fingerprintCheckout } from '../git/inspect/checkout-fingerprint.js';
import { compareRepository, type RepositorySnapshot, snapshotRepository } from '../git/inspect/repository-watch.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';

const BEFORE_FILE = 'before.json';

/** An agent can make any number of hooks; a person needs to see some of them. */
const MAX_TOLD = 20;

interface Surroundings {
  readonly repository: RepositorySnapshot;
  /** Null for turns that may not write: the checkout costs a walk over its files. */
  readonly checkout: string | null;
}

export interface SurroundingChange {
  /** What a person must look at before the run goes on; empty: nothing. */
  readonly gate: readonly string[];
  readonly observations: readonly Observation[];
}

/** Idempotency: the first attempt's look stays, since a later one could see what the agent already changed. */
export async function lookBefore(context: TurnOnHost): Promise<void> {
  if (readMark<Surroundings>(context.place, BEFORE_FILE).kind === 'answer') return;
  await lookAgain(context);
}

/** After what the run itself did around the worktree, and before the agent starts. */
export async function lookAgain(context: TurnOnHost): Promise<void> {
  writePlaceMark(context.place, BEFORE_FILE, await look(context));
}

export async function compareAfter(context: TurnOnHost): Promise<SurroundingChange> {
  const before = readMark<Surroundings>(context.place, BEFORE_FILE);
  // Where no sandbox is an agent can write there too, or remove it.
  if (before.kind !== 'answer' || !isWhole(before.value)) return { gate: [NOTE_CHANGED], observations: [] };
  const after = await look(context);
  const { gate, note } = compareRepository(before.value.repository, after.repository);
  const checkoutMoved = before.value.checkout !== after.checkout;
  const gated = firstOf(gate);
  const noted = [...firstOf(note), ...(checkoutMoved ? ["the person's checkout changed during the turn"] : [])];
  const timestamp = new Date().toISOString();
  const about = { stage: context.input.stage, seq: context.input.place.seq };
  const observe = (message: string, isGate: boolean): Observation => ({
    timestamp,
    type: 'repository.changed',
    message,
    data: { ...about, gate: isGate },
  });
  return {
    gate: gated,
    observations: [
      ...gated.map((message) => observe(message, true)),
      ...noted.map((message) => observe(message, false)),
    ],
  };
}

const NOTE_CHANGED = 'what was noted of the repository before the turn is not as it was noted';

const PARTS: readonly (keyof RepositorySnapshot)[] = ['hooks', 'keys', 'files', 'redirects', 'refs', 'submodules'];

function isWhole(value: unknown): value is Surroundings {
  const repository = isRecord(value) ? value['repository'] : null;
  return isRecord(repository) && PARTS.every((part) => isRecord(repository[part]));
}

function firstOf(sentences: readonly string[]): readonly string[] {
  return sentences.length <= MAX_TOLD
    ? sentences
    : [...sentences.slice(0, MAX_TOLD), `… and ${sentences.length - MAX_TOLD} more`];
}

async function look(context: TurnOnHost): Promise<Surroundings> {
  const { repository, worktree } = context.run.record;
  const [snapshot, checkout] = await Promise.all([
    snapshotRepository(repository, worktree),
    mayWrite(context.input.stage) ? fingerprintCheckout(repository, `${context.run.stateDir}/git`) : null,
  ]);
  return { repository: snapshot, checkout };
}
