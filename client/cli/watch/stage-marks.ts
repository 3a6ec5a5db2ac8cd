/** How the mark of a stage looks wherever stages are listed. */
import type { createColors } from 'picocolors';
import type { StageMark } from '../../../protocol/views/stage-story.js';

type Colors = ReturnType<typeof createColors>;

export const STAGE_MARKS: Readonly<Record<StageMark, string>> = {
  passed: '✓',
  failed: '✗',
  at_work: '●',
  waits: '◌',
  again: '↻',
  not_yet: '·',
};

const PAINTS = {
  passed: 'green',
  failed: 'red',
  at_work: 'cyan',
  waits: 'yellow',
  again: 'yellow',
  not_yet: 'dim',
} as const satisfies Readonly<Record<StageMark, keyof Colors>>;

export function paintMark(mark: StageMark, colors: Colors): (text: string) => string {
  return colors[PAINTS[mark]];
}
