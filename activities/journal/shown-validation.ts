/** The latest validation as the run directory shows it, for the report only. One that a person edited shows as edited, or not at all, and decides nothing. */
import { join } from 'node:path';
import { z } from 'zod';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import { COMMAND_STATUSES, type ValidationReport } from '../../protocol/run/outcomes.js';
import { parseJson } from '../../protocol/text/json.js';

const MAX_BYTES = 4 * 1024 * 1024;

const REPORT = z.object({
  round: z.number(),
  commit: z.string(),
  tree: z.string(),
  commands: z.array(
    z.object({
      command: z.string(),
      exitCode: z.number().nullable(),
      status: z.enum(COMMAND_STATUSES),
      timedOut: z.boolean(),
      failedOnBase: z.boolean(),
      durationMs: z.number(),
      stdoutPath: z.string(),
      stderrPath: z.string(),
    }),
  ),
  summary: z.object({ total: z.number(), passed: z.number(), failed: z.number(), environment: z.number() }),
  treeChanged: z.boolean(),
  note: z.string().nullable(),
}) satisfies z.ZodType<ValidationReport>;

/** Null: none was made, or what stands there is none. */
export function shownValidation(runDir: string): ValidationReport | null {
  const text = textOf(readForeignFileSync(join(runDir, 'validation.json'), { maxBytes: MAX_BYTES }));
  return REPORT.safeParse(parseJson(text)).data ?? null;
}
