/**
 * The conversation that an agent's CLI keeps, from one turn of a run to a later one. It lies in the outcome mark of its turn, on the host that
 * has the CLI's own files: whoever asks elsewhere, or for another agent, gets none and begins a new one. Never part of a workflow's history.
 */

import { join } from 'node:path';
import type { HomePaths } from '../../config/home/home.js';
import type { Place } from '../../protocol/run/place.js';
import type { Adapter } from '../../protocol/run/policy.js';
import { isRecord } from '../../protocol/text/json.js';
import type { Conversation, TurnReading, TurnRequest } from '../agent/contract.js';
import { readExit, readJson } from '../process/marks.js';
import { exitSeal, OUTCOME_FILE } from '../unit/place-record.js';
import type { RunOnHost } from '../unit/run-record.js';

export interface KeptConversation extends Conversation {
  /** Its name in the policy: another account of the same CLI has another. */
  readonly agent: string;
  readonly adapter: Adapter;
}

/** A turn that did not tell of its conversation leaves the one that it went on with. */
export function keptConversation(
  turn: { readonly request: TurnRequest },
  reading: TurnReading,
): KeptConversation | null {
  const { config, stagePolicy, resume } = turn.request;
  const conversation = reading.conversation ?? resume;
  return conversation === null ? null : { ...conversation, agent: stagePolicy.agent, adapter: config.adapter };
}

/** Null: that turn left none on this host, or it was another agent's. */
export function conversationAt(
  home: HomePaths,
  { run, place }: { readonly run: RunOnHost; readonly place: Place },
  worker: Pick<KeptConversation, 'agent' | 'adapter'>,
): Conversation | null {
  // Of this run, or of one before it of the same task.
  const dir = home.turnDir(run.record.repoKey, place.runId, place);
  const exit = readExit(dir);
  const mark = readJson(join(dir, OUTCOME_FILE));
  if (exit === null || mark === null) return null;
  const seal = exitSeal({ dir, token: place.token, inputHash: exit.inputHash });
  if (seal === null || mark['exit'] !== seal || !isRecord(mark['value'])) return null;
  // Written by judgeTurn alone; the seal vouches for the type.
  const kept = mark['value']['conversation'] as KeptConversation | null;
  if (kept === null || kept.agent !== worker.agent || kept.adapter !== worker.adapter) return null;
  return { id: kept.id, totals: kept.totals };
}
