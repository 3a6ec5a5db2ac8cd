/** What became of the stages of a run, each time that it changed: a mark for each stage in their legal order, and why one did not pass. */
import { STAGE_MARKS } from '../../client/cli/watch/stage-marks.js';
import { STAGES } from '../../protocol/run/stages.js';
import { type RunStory, storyOf } from '../../protocol/views/stage-story.js';

const MAX_LINES = 40;

export function storyLines(stories: readonly RunStory[]): readonly string[] {
  const lines = stories.map(storyLine);
  return lines.filter((line, index) => line !== lines[index - 1]).slice(-MAX_LINES);
}

function storyLine(story: RunStory): string {
  const marks = STAGES.map((stage) => STAGE_MARKS[storyOf(story, stage).mark]).join('');
  const failures = STAGES.map((stage) => [stage, storyOf(story, stage).failure]).filter(([, why]) => why !== null);
  return [marks, ...failures.map(([stage, why]) => `${stage}: ${why}`)].join('  ');
}
