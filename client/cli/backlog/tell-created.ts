/** What is said of a task that was handed in. It counts as kept only where the backlog took it or the server keeps the message. */
import type { Verdict } from '../../../protocol/actors/backlog.js';
import { runIdOfItem } from '../../../protocol/actors/item.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { NotKnown } from '../../calls/ask-calls.js';
import type { Sent } from '../../sluice.js';
import { whyNotTaken } from '../gates/why-not-taken.js';
import { refusal } from '../start/run-arguments.js';
import { type Context, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { tellCompared } from './tell-compared.js';

export interface Created {
  /** Null: the person stopped first. */
  readonly sent: Sent | NotKnown | null;
  readonly project: string;
  readonly key: string;
  readonly isDryRun: boolean;
}

/** Errors: RefusedError where it was not taken, where nobody knows whether it was, and where a dry run has no answer. */
export function tellCreated(context: Context, { sent, project, key, isDryRun }: Created): ExitCode {
  const { io, json } = context;
  if (sent === null) return tellStopped(context, isDryRun ? NOT_COMPARED.now : unknownYet(project, key));
  if (sent instanceof NotKnown) throw new RefusedError(isDryRun ? NOT_COMPARED : lostParts(sent, project, key));
  const notTaken = whyNotTaken(sent);
  if (notTaken !== null)
    throw refusal(`the backlog of ${project} did not take the task`, foreign(notTaken.why), 'sluice backlog status');
  const verdict = readVerdict(sent);
  if (verdict?.kind === 'duplicate' || verdict?.kind === 'compared') return tellCompared(context, { project, verdict });
  if (verdict?.kind === 'refused') throw new RefusedError(refusedParts(verdict.why));
  if (verdict === null && isDryRun) throw new RefusedError(NOT_COMPARED);
  const id = verdict === null ? null : verdict.id;
  if (json) io.json({ kind: 'item', project, id, key, verdict: verdict?.kind ?? 'queued' });
  else if (id === null)
    io.out(
      `The task is kept by the server and taken in once its host is back: sluice backlog status    (sent again: --key ${key})`,
    );
  else
    io.out(
      foreign(
        `${runIdOfItem({ project, id }, 1)} ${verdict?.kind === 'known' ? 'is there already' : 'is in the backlog'}. See: sluice task show ${id}`,
      ),
    );
  return EXIT.done;
}

/** Of the only task of a `create`. Null: not known yet. */
export function readVerdict(sent: Sent): Verdict | null {
  if (sent.kind !== 'accepted') return null;
  // A backlog answers its verdicts beside the message, and null while its host is away.
  const { verdicts } = sent.answer as { readonly verdicts?: readonly Verdict[] | null };
  return verdicts?.[0] ?? null;
}

function refusedParts(why: string) {
  const [what = '', rule = ''] = why.split('\n', 2);
  return {
    what: `the task was not taken in: ${foreign(what)}`,
    why: foreign(rule) || 'a task is judged as its run would be',
    now: 'Nothing was created.',
    mend: 'sluice config',
  };
}

function unknownYet(project: string, key: string): string {
  return foreign(
    `Whether the backlog of ${project} took the task is not known; sent again under its key it is the same task: --key ${shellWord(key)}`,
  );
}

/** Under another key the same command would hand it in once more. */
function lostParts({ parts }: NotKnown, project: string, key: string) {
  return { ...parts, now: unknownYet(project, key), mend: 'sluice up    then the same command with that key' };
}

/** With exit code 0 whoever asked would take it for a task that is like no other. */
const NOT_COMPARED = {
  what: 'whether the task is a duplicate is not known',
  why: 'its host compares it with the others, and nobody there answers',
  now: 'Nothing is kept of it.',
  mend: 'sluice backlog status    then ask again',
};
