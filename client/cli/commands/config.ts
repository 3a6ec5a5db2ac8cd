/** `sluice config`: every effective value, and the file and line, preset or default that it comes from. */
import { type ConfigRow, explainConfig } from '../../../config/resolve/explain-policy.js';
import { nearestName } from '../../../config/system/nearest-name.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { checkRepository } from '../start/check-repository.js';
import { effectiveConfig } from '../start/choose-config.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export interface ConfigForm {
  readonly repo?: string | undefined;
  /** Dotted, or the beginning of one up to a dot; null: all. */
  readonly key: string | null;
  readonly changed: boolean;
}

export async function config(context: Context, { repo, key: asked, changed }: ConfigForm): Promise<ExitCode> {
  const { io, json } = context;
  const { root, baseSha } = await checkRepository(context, { repo });
  const resolved = await effectiveConfig(context, { root, baseSha, runInput: {}, program: null, toLook: true });
  const rows = rowsOf(explainConfig(resolved), asked).filter((row) => !changed || isChanged(row));
  const width = Math.max(...rows.map(({ key }) => key.length));
  for (const { key, value, text, origin } of rows) {
    if (json) io.json({ key, value, origin });
    else io.out(`${foreign(key.padEnd(width))}  ${foreign(text)}  ${io.colors.dim(`(${foreign(origin)})`)}`);
  }
  if (rows.length === 0 && !json) io.err('Nothing is changed: every value is the default.');
  if (asked === null && Object.keys(resolved.policy.agents).length === 0) {
    io.err(
      'No agent is configured: name one with sluice run "<task>" --agent command -- <program>, or keep one with sluice init.',
    );
  }
  return EXIT.done;
}

/** What the preset of whoever names none says is a default too. */
function isChanged({ origin }: ConfigRow): boolean {
  return origin !== 'default' && origin !== 'preset default';
}

/** Errors: RefusedError for a key that is none. */
function rowsOf(rows: readonly ConfigRow[], asked: string | null): readonly ConfigRow[] {
  if (asked === null) return rows;
  const meant = rows.filter(({ key }) => key === asked || key.startsWith(`${asked}.`));
  if (meant.length > 0) return meant;
  const nearest = nearestName(
    asked,
    rows.flatMap(({ key }) => [key, key.split('.')[0] ?? key]),
  );
  throw new RefusedError({
    what: `there is no config key "${foreign(asked).slice(0, 60)}"`,
    why: nearest === null ? 'docs/config.md lists all' : `did you mean ${nearest}?`,
    now: 'Nothing was changed.',
    mend: nearest === null ? 'sluice config' : `sluice config ${nearest}`,
  });
}
