/**
 * Brings the answer of a turn below the limit of its size, in bytes as they travel, whatever an agent did to make it long.
 * Lists of paths and long words to a person go first, then whole observations out of the middle; how the turn ended and its commit are never left out.
 */

import { wholeHead } from '../../config/system/cut-middle.js';
import { MAX_SENTENCE_CHARS, MAX_TURN_RESULT_BYTES } from '../../protocol/limits.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { HumanRequest } from '../../protocol/run/gate.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';

const KEPT: readonly Observation['type'][] = ['turn.completed', 'turn.failed', 'git.committed'];

/** Of the guarded paths that an answer names. */
const MAX_PATHS_BYTES = 2 * 1024;

/** Unit: bytes of what a turn asks a person and why. */
const MAX_ACTION_BYTES = 600;
const MAX_REASON_BYTES = 300;

export function fitResult(result: RunTurnResult): RunTurnResult {
  const observations = result.observations.map(shortened);
  const whole = { ...result, observations };
  if (bytesOf(whole) <= MAX_TURN_RESULT_BYTES) return whole;
  const bare = {
    ...result,
    outcome: withFewPaths(result.outcome),
    guarded: fewPaths(result.guarded),
    observations: observations.map(withoutPaths),
    request: result.request && shortRequest(result.request),
  };
  return bytesOf(bare) <= MAX_TURN_RESULT_BYTES ? bare : withoutMiddle(bare);
}

function withoutMiddle(result: RunTurnResult): RunTurnResult {
  const { observations } = result;
  const kept = new Set(observations.filter(({ type }) => KEPT.includes(type)));
  const others = observations.filter((observation) => !kept.has(observation));
  // With the largest count, so that the note fits whatever the count is.
  const without = { ...result, observations: [...kept, leftOut(observations.length)] };
  let room = MAX_TURN_RESULT_BYTES - bytesOf(without);
  for (let front = 0, back = others.length - 1; front <= back; ) {
    const isFront = front <= others.length - 1 - back;
    const next = others[isFront ? front : back];
    if (next === undefined) break;
    room -= bytesOf(next) + 1;
    if (room < 0) break;
    kept.add(next);
    if (isFront) front += 1;
    else back -= 1;
  }
  const first = observations.findIndex((observation) => !kept.has(observation));
  const note = leftOut(observations.length - kept.size);
  return {
    ...result,
    observations: observations.flatMap((observation, index) =>
      index === first ? [note] : kept.has(observation) ? [observation] : [],
    ),
  };
}

function leftOut(count: number): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'repository.changed',
    message: `… and ${count} more observations, left out since the answer of a turn is at most ${MAX_TURN_RESULT_BYTES} bytes`,
    data: { gate: false, leftOut: count },
  };
}

function withFewPaths(outcome: TurnOutcome): TurnOutcome {
  return 'paths' in outcome ? { ...outcome, paths: fewPaths(outcome.paths) } : outcome;
}

/** The first of them. Whoever looks at them is told that they are not all. */
function fewPaths(paths: readonly string[]): readonly string[] {
  let room = MAX_PATHS_BYTES;
  const few = paths.filter((path) => {
    room -= bytesOf(path);
    return room >= 0;
  });
  return few.length === paths.length ? paths : [...few, '… and more'];
}

function shortRequest(request: HumanRequest): HumanRequest {
  const { reason, action } = request;
  return {
    ...request,
    reason: headOf(reason, MAX_REASON_BYTES),
    action: action === null ? null : headOf(action, MAX_ACTION_BYTES),
  };
}

function headOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes ? text : `${wholeHead(bytes.subarray(0, maxBytes - Buffer.byteLength('…')))}…`;
}

function shortened(observation: Observation): Observation {
  const { message } = observation;
  return message.length <= MAX_SENTENCE_CHARS
    ? observation
    : { ...observation, message: `${message.slice(0, MAX_SENTENCE_CHARS - 1)}…` };
}

function withoutPaths(observation: Observation): Observation {
  const { paths: _paths, ...data } = observation.data;
  return { ...observation, data };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
