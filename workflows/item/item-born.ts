/** How an item begins: by what came of comparing its task, by what is to be asked about it, or by whether somebody wants to say that it may start. Pure. Source: S-07, S-13, S-16, S-18. */
import type { ItemInput, ItemTransition, RunAgain } from '../../protocol/actors/item.js';
import { nearDuplicate, passLine, type TaskDedup } from '../../protocol/actors/task-dedup.js';
import { NOT_ASKED } from './item-admission.js';
import { possibleDuplicatesOf } from './item-dedup.js';
import type { ItemState } from './item-state.js';

type Born = Pick<ItemState, 'state' | 'reason' | 'why' | 'admission'>;

export function bornAs(input: ItemInput): Born {
  const { again, admission, dedup } = input;
  const nothing = { why: null, admission: null };
  // Whoever takes it up again wants it whatever it resembles.
  if (again === null && dedup?.duplicate != null)
    return { ...nothing, state: 'closed', reason: 'duplicate', why: dedup.duplicate.why };
  // What has run was admitted once.
  if (admission !== null && (again === null || again.runs === 0))
    return { ...nothing, state: 'admitting', reason: admission.order[0]?.[0] ?? null, admission: NOT_ASKED };
  const gate = again === null ? gateOf(input) : null;
  return { ...nothing, state: gate === null ? 'queued' : 'gated', reason: gate, why: whyGated(input, gate) };
}

function gateOf(input: ItemInput): 'start' | 'possible_duplicate' | null {
  return possibleDuplicatesOf(input).length > 0 ? 'possible_duplicate' : input.gate;
}

function whyGated(input: ItemInput, gate: ReturnType<typeof gateOf>): string | null {
  return gate === 'possible_duplicate' ? `it may be the same as ${possibleDuplicatesOf(input).join(', ')}` : null;
}

/** Its first lines. Source: S-02, S-16, S-19. */
export function bornLines(input: ItemInput, { state, reason, why }: Born): readonly ItemTransition[] {
  const { by, createdAt, again, dedup } = input;
  if (again !== null) return goneOnLines({ input, state, reason }, again);
  const note = reason === 'duplicate' ? why : null;
  const born = { at: createdAt, from: null, to: state, reason, driver: 'create', actor: by, note } as const;
  if (dedup === undefined) return [born];
  const { pass, forced } = dedup;
  const line = { at: pass.at, from: state, to: state, reason } as const;
  const compared = { ...line, driver: 'dedup', actor: null, note: passLine(pass) } as const;
  return [born, compared, ...forcedLines(forced, { ...line, actor: by })];
}

/** Why it was closed stays to be seen. Source: S-42. */
function goneOnLines(
  { input: { dedup }, state, reason }: Pick<ItemState, 'input' | 'state' | 'reason'>,
  { at, by, note, force, closed }: RunAgain,
): readonly ItemTransition[] {
  const again = { at, from: 'closed', to: state, reason, driver: 'run', actor: by, note } as const;
  const forced = force === true ? (dedup?.forced ?? null) : null;
  const lines = forcedLines(forced, { at, from: state, to: state, reason, actor: by });
  return [...(closed === undefined ? [] : [closed]), again, ...lines];
}

function forcedLines(
  forced: TaskDedup['forced'],
  line: Omit<ItemTransition, 'driver' | 'note'>,
): readonly ItemTransition[] {
  return forced === null ? [] : [{ ...line, driver: 'dedup.forced', note: nearDuplicate(forced) }];
}
