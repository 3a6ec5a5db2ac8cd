/** The parts of what a run left, as a person names them. */
export const RUN_PARTS = [
  'plan',
  'architecture',
  'review',
  'findings',
  'responses',
  'checks',
  'verification',
  'prompt',
  'output',
  'report',
  'result',
] as const;
export type RunPart = (typeof RUN_PARTS)[number];
