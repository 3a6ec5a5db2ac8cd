/**
 * The gates of a run: from the run itself, else from its approvals.json where that lies on this machine. The file is only shown, and a
 * decision made from it names the commit that it shows, so that the run refuses one about another state of the branch.
 */
import { join } from 'node:path';
import type { RunDetails } from '../../protocol/messages/run-view.js';
import { isLandingId, runIdOfLanding } from '../../protocol/names.js';
import { GATE_STATUSES, type Gate } from '../../protocol/run/gate.js';
import { isRecord, parseJson } from '../../protocol/text/json.js';
import type { Sluice } from '../sluice.js';
import { readRunFile } from './read-run-file.js';

export interface GatedRun {
  /** Of the run, or of its landing. */
  readonly workflowId: string;
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
}

/** Who tells the gates of a run, or of its landing. */
export type GateSource = Pick<Sluice, 'details' | 'landing'>;

/** Null where no worker answers, or the run is of a version that has no such query. */
export async function detailsOf(
  { workflowId }: GatedRun,
  sluice: Pick<Sluice, 'details'> | null,
): Promise<RunDetails | null> {
  return sluice === null ? null : sluice.details(workflowId).catch(() => null);
}

/** Oldest first. Null where neither the run nor a file tells. */
export async function gatesOf(run: GatedRun, sluice: GateSource | null): Promise<readonly Gate[] | null> {
  if (isLandingId(run.workflowId)) {
    const landing = await sluice?.landing(runIdOfLanding(run.workflowId)).catch(() => null);
    return landing?.gates ?? null;
  }
  const details = await detailsOf(run, sluice);
  if (details !== null) return details.gates;
  return run.runDir === null ? null : gatesOnDisk(run.runDir);
}

/** Null where there is no such file, or one that cannot be read. */
export async function gatesOnDisk(runDir: string): Promise<readonly Gate[] | null> {
  const value = parseJson(await readRunFile(join(runDir, 'approvals.json')));
  return Array.isArray(value) ? value.filter(isGate) : null;
}

export function openGates(gates: readonly Gate[]): readonly Gate[] {
  return gates.filter((gate) => gate.status === 'pending');
}

/** The fields that are shown or sent. */
function isGate(value: unknown): value is Gate {
  if (!isRecord(value)) return false;
  const texts = ['id', 'runId', 'stage', 'status', 'source', 'reason', 'riskLevel', 'createdAt'];
  const absent = ['requestedAction', 'commit', 'resolvedBy', 'decisionNote', 'changesGoTo', 'expiresAt', 'resolvedAt'];
  return (
    GATE_STATUSES.some((known) => known === value['status']) &&
    typeof value['question'] === 'boolean' &&
    texts.every((name) => typeof value[name] === 'string') &&
    absent.every((name) => value[name] === null || typeof value[name] === 'string') &&
    areTexts(value['files']) &&
    (value['options'] === null || areTexts(value['options']))
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
