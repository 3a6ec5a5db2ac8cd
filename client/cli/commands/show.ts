/** `sluice show`: one part of what a run left: its plan, review, checks with the output of the red ones, a prompt, its report. */

import { TURN_STAGES, type TurnStage } from '../../../protocol/run/stages.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { FoundRun } from '../../look/find-runs.js';
import { RUN_PARTS, type RunPart } from '../../look/part-names.js';
import { type AskedPart, readPart } from '../../look/run-parts.js';
import { filesElsewhere } from '../find/files-elsewhere.js';
import { findRun } from '../find/find-run.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { showText } from '../terminal/pager.js';

export interface ShowForm {
  /** A part, and the run before or behind it. */
  readonly words: readonly string[];
  readonly stage?: string | undefined;
  readonly round?: string | undefined;
}

export async function show(context: Context, form: ShowForm): Promise<ExitCode> {
  const { io, json } = context;
  const { part, run: asked } = askedOf(form);
  const [stage, round] = [stageOf(form), roundOf(form)];
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const run = await findRun(context, sluice, asked);
  if (run.runDir === null) throw new RefusedError(filesElsewhere(run));
  const text = await readPart(part, { runDir: run.runDir, stage, round });
  if (text === null) throw new RefusedError(noPart(run, part, { stage, round }));
  if (json) io.json({ kind: 'part', runId: run.runId, part, stage, round, text });
  else await showText(io, foreignBlock(text));
  return EXIT.done;
}

/** A run may be called like a part: the last word that can be one is it. */
function askedOf({ words }: ShowForm): { readonly part: RunPart; readonly run: string | null } {
  const at = words.findLastIndex((word) => isPart(word));
  const part = words[at];
  const [run = null, ...more] = words.filter((_, index) => index !== at);
  if (part !== undefined && isPart(part) && more.length === 0) return { part, run };
  throw new RefusedError({
    what: `"${foreign(words.join(' ')).slice(0, 60)}" names ${more.length > 0 ? 'more than a run and a part' : 'no part of a run'}`,
    why: `the parts are ${RUN_PARTS.join(', ')}`,
    now: 'Nothing was changed.',
    mend: 'sluice show plan',
  });
}

function isPart(word: string): word is RunPart {
  return RUN_PARTS.some((known) => known === word);
}

function stageOf({ stage: asked }: ShowForm): TurnStage | null {
  if (asked === undefined) return null;
  const stage = TURN_STAGES.find((known) => known === asked);
  if (stage !== undefined) return stage;
  throw new RefusedError({
    what: `--stage is "${foreign(asked).slice(0, 60)}"`,
    why: `the stages of agents are ${TURN_STAGES.join(', ')}`,
    now: 'Nothing was changed.',
    mend: 'sluice show prompt --stage executing',
  });
}

function roundOf({ round: asked }: ShowForm): number | null {
  if (asked === undefined) return null;
  if (/^\d{1,6}$/.test(asked)) return Number(asked);
  throw new RefusedError({
    what: `--round is "${foreign(asked).slice(0, 60)}"`,
    why: 'rounds are counted from 0, which is what was before the first fix',
    now: 'Nothing was changed.',
    mend: 'sluice show review --round 0',
  });
}

function noPart({ runId, status }: FoundRun, part: RunPart, { stage, round }: Omit<AskedPart, 'runDir'>) {
  const of = [round === null ? '' : ` of round ${round}`, stage === null ? '' : ` of ${stage}`].join('');
  return {
    what: `the run ${foreign(runId)} has no ${part}${of}`,
    why: 'a part is there once the stage that makes it was done in that round',
    now: `Its status is ${status ?? 'unknown'}.`,
    mend: `sluice replay ${foreign(runId)}`,
  };
}
