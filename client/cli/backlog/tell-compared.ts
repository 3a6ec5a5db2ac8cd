/** What is said of a task that is there already, or that was only compared. Source: S-18, S-20. */
import type { DuplicateFound, Verdict } from '../../../protocol/actors/backlog.js';
import { runIdOfItem } from '../../../protocol/actors/item.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

type Compared = Extract<Verdict, { kind: 'duplicate' | 'compared' }>;

export function tellCompared(
  { io, json }: Context,
  { project, verdict }: { readonly project: string; readonly verdict: Compared },
): ExitCode {
  const found = verdict.kind === 'duplicate' ? verdict : verdict.duplicate;
  const id = verdict.kind === 'duplicate' ? verdict.id : null;
  const possible = verdict.kind === 'compared' ? verdict.possible : [];
  if (json) io.json({ kind: 'item', project, id, verdict: verdict.kind, ...foundJson(found), possible });
  else for (const line of linesOf({ project, id, found, possible })) io.out(foreign(line));
  return found === null ? EXIT.done : EXIT.needsPerson;
}

function foundJson(found: DuplicateFound | null) {
  if (found === null) return { isDuplicate: false, reason: null, taskId: null, layer: null, score: null };
  const { reason, of, layer, score } = found;
  return { isDuplicate: true, reason, taskId: of, layer, score };
}

interface Told {
  readonly project: string;
  /** Null: it has no number. */
  readonly id: string | null;
  readonly found: DuplicateFound | null;
  readonly possible: readonly string[];
}

function linesOf({ project, id, found, possible }: Told): readonly string[] {
  const others = possible.map((one) => `#${one}`).join(', ');
  if (found === null) return [others === '' ? 'It is like no other task.' : `It may be the same as ${others}.`];
  if (id === null) return [found.reason];
  const name = runIdOfItem({ project, id }, 1);
  return [found.reason, `${name} is closed as a duplicate. Start it all the same: sluice task run ${id}`];
}
