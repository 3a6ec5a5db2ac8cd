/** What became of each stage of a closed run, one line each: result, time, cost. Pure. */
import type { createColors } from 'picocolors';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { stageUseOf } from '../../../protocol/messages/stage-use.js';
import { type StageFailure, stagesOf, storyOf, tellStory } from '../../../protocol/views/stage-story.js';
import { costText } from '../../views/stage-costs.js';
import { elapsed } from '../../views/waiting-text.js';
import { paintMark, STAGE_MARKS } from './stage-marks.js';

const STAGE_COLUMNS = 13;

/** Only stages that the run entered: of the others nothing is to be told once it is closed. */
export function storyLines(events: readonly JournalEvent[], colors: ReturnType<typeof createColors>): string[] {
  const story = tellStory(events);
  const used = new Map(stageUseOf(events).map((use) => [use.stage, use]));
  return stagesOf(story, []).map((stage) => {
    const { mark, failure, workMs, waitMs } = storyOf(story, stage);
    const use = used.get(stage);
    const parts = [
      elapsed(workMs).padStart(5),
      failure === null ? null : FAILURES[failure],
      waitMs < LEAST_WAIT_MS ? null : `waited ${elapsed(waitMs)}`,
      use === undefined ? null : costText(use),
    ];
    const text = parts.filter((part) => part !== null).join('  ');
    return `${paintMark(mark, colors)(STAGE_MARKS[mark])} ${stage.padEnd(STAGE_COLUMNS)}${text}`;
  });
}

/** Shorter than anybody waited for a person. */
const LEAST_WAIT_MS = 1_000;

const FAILURES: Readonly<Record<StageFailure, string>> = {
  red_checks: 'red checks',
  changes_requested: 'changes requested',
  rejected: 'rejected',
  ended: 'not finished',
};
