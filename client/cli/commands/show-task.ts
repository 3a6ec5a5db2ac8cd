/** `sluice task show`: one task, what came of what was asked about it, and how it came where it is. */

import type { ItemStateName, ItemView } from '../../../protocol/actors/item.js';
import type { StatusView } from '../../../protocol/views/skep-status.js';
import { findRuns } from '../../look/find-runs.js';
import { statusViewOf } from '../backlog/status-view.js';
import { findItem } from '../find/find-item.js';
import { viewWord, wordsOf } from '../find/item-table.js';
import { readShownSteps } from '../find/shown-steps.js';
import { connectToLook } from '../server/connect.js';
import { refusal } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import { lookPlaceOf } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock, type Io } from '../terminal/io.js';
import { timeText } from '../terminal/time-text.js';
import { serverOf } from './task.js';

const OPEN: readonly ItemStateName[] = ['admitting', 'clarifying', 'gated', 'queued', 'running', 'parked'];

export interface ShowOptions {
  readonly asked: string | null;
  /** Whose words for a state; missing: as the preset of the repository has it. */
  readonly view?: StatusView | undefined;
}

export async function showTask(context: Context, { asked, view: words }: ShowOptions): Promise<ExitCode> {
  const { io, json } = context;
  const shownAs = await statusViewOf(context, words);
  await using sluice = serverOf(await connectToLook(context));
  const { project, id } = await findItem(context, sluice, { asked, states: OPEN });
  const view = await sluice.item({ project, id });
  if (view === null)
    throw refusal(
      `the server knows no task ${foreign(`${project}-${id}`)} any more`,
      'it keeps a closed one for its retention',
      'sluice task list',
    );
  if (json) io.json({ kind: 'item', ...view, view: viewWord(view, shownAs) });
  else for (const line of linesOf(view, { shownAs, steps: await stepsOf(context, view), io })) io.out(line);
  return EXIT.done;
}

/** Of its last run, where its files are on this machine. */
async function stepsOf(context: Context, { run, admission }: ItemView): Promise<readonly string[]> {
  const found =
    run === null ? undefined : (await findRuns(lookPlaceOf(context), null)).find(({ runId }) => runId === run);
  return found?.runDir == null ? [] : readShownSteps(found.runDir, admission?.plan?.hash ?? null);
}

interface Shown {
  readonly shownAs: StatusView;
  readonly steps: readonly string[];
  readonly io: Pick<Io, 'outIsTerminal'>;
}

function linesOf(view: ItemView, { shownAs, steps, io }: Shown): readonly string[] {
  const { project, id, title, run, result, reason, why, journal, priority, dependsOn, files } = view;
  const line = (head: string, text: string | null) =>
    text === null || text === '' ? [] : [`${head.padEnd(8)} ${foreign(text)}`];
  return [
    foreign(`${project}-${id}  ${wordsOf(view, shownAs)}`),
    foreignBlock(title),
    ...line('why', why),
    ...line('like', likeOf(view)),
    ...line('run', run),
    ...line('branch', result?.branch ?? null),
    ...line('answer', reason !== 'no_changes' || result?.document == null ? null : `sluice show ${result.runId} plan`),
    ...admissionLines(view, steps),
    ...line('priority', priority === 0 ? null : String(priority)),
    ...line('after', dependsOn.join(', ')),
    ...line('files', files.join(', ')),
    '',
    ...journal.map(({ at, from, to, reason, driver, actor, note, decided }) =>
      foreign(
        `${timeText(at, io)}  ${wordsOf({ state: to, reason }, shownAs)}  ${to === from ? `${driver}, ` : ''}by ${actor ?? driver}${decided?.as === 'unverified' ? ' (unverified)' : ''}${note === null ? '' : `: ${note}`}`,
      ),
    ),
  ];
}

/** Tasks that it resembles. Source: S-12, S-18. */
function likeOf({ project, dedup }: ItemView): string | null {
  if (dedup === undefined) return null;
  const { duplicate, possible } = dedup;
  const named = possible.map(
    ({ id, isMerged }) => `${project}-${id}${isMerged ? ' (possibly already implemented)' : ''}`,
  );
  return [...(duplicate === null ? [] : [`${project}-${duplicate.of}`]), ...named].join(', ');
}

/** The plan that an approval is of, how far its steps are, or the questions that wait for an answer. */
function admissionLines({ admission, state }: ItemView, taken: readonly string[]): readonly string[] {
  const below = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  if (admission === null) return taken.length === 0 ? [] : ['steps', ...below(taken).map(foreignBlock)];
  const { scope, confidence, why, plan, round, questions } = admission;
  const judged = scope === null ? [] : [`judged   ${scope}, sure by ${confidence}${why === null ? '' : `: ${why}`}`];
  const asked = state === 'clarifying' ? questions.map((question, at) => foreign(`Q${at + 1}: ${question}`)) : [];
  // Those of the run are lines of the engine's making, whose indentation tells.
  const steps = taken.length > 0 ? taken.map(foreignBlock) : (plan?.lines ?? []).map(foreign);
  return [
    ...judged.map(foreign),
    ...(asked.length === 0 ? [] : [`asks     round ${round}`, ...below(asked)]),
    ...(plan === null ? [] : [foreign(`plan     ${plan.hash.slice(0, 12)}`)]),
    ...(plan === null && steps.length > 0 ? ['steps'] : []),
    ...below(steps),
  ];
}
