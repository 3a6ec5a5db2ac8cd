/** What `npm run bench -- run --save` keeps for the documents: no raw samples, nothing that names the machine. */
import type { Judged } from './figures.js';
import type { GrowthPoint } from './growth.js';
import type { MeasuredSpans } from './spans.js';

export const RESULT_FILE = 'docs/bench.json';

export interface BenchResult {
  readonly cores: number;
  readonly figures: readonly Judged[];
  readonly growth: readonly GrowthPoint[];
  readonly spans: MeasuredSpans | null;
}
