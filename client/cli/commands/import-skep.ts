/** `sluice import skep`: shows the config that says what Skep was told, and writes it only where there is none. */
import { join, resolve } from 'node:path';
import { PROJECT_CONFIG } from '../../../config/home/home.js';
import { type MadeConfig, makeConfig } from '../../../config/import/make-config.js';
import { readSkep, SKEP_CONFIG } from '../../../config/import/read-skep.js';
import { detectProject } from '../../../config/init/detect-project.js';
import { writeFirstConfig } from '../../../config/init/init-config.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { hashOfText } from '../../../config/system/config-text.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { checkRepository } from '../start/check-repository.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

interface ImportOptions {
  readonly from?: string | undefined;
  readonly write: boolean;
}

export async function importSkep(context: Context, { from, write }: ImportOptions): Promise<ExitCode> {
  const { io, json } = context;
  if (write) personOf(context);
  const { root } = await checkRepository(context, {});
  const path = from === undefined ? join(root, SKEP_CONFIG) : resolve(io.cwd, from);
  const name = from ?? SKEP_CONFIG;
  const skep = readSkep({ path, name, isOwn: from === undefined }, io.env);
  const { text, notTaken } = makeConfig({ from: name, skep, detected: detectProject(root) });
  // What is written must be usable, key beside key.
  resolvePolicy({ project: { text, name: PROJECT_CONFIG, isTrusted: true } });
  if (write) writeOrRefuse(root, text);
  if (json) {
    const written = { path: join(root, PROJECT_CONFIG), repo: root, written: write, text, hash: hashOfText(text) };
    io.json({ kind: 'import', from: path, ...written, notTaken });
  } else tell(context, { text, notTaken }, write);
  return EXIT.done;
}

/** The text alone goes to standard output, for a file of one's own. */
function tell({ io }: Context, { text, notTaken }: MadeConfig, isWritten: boolean): void {
  io.out(foreignBlock(text.trimEnd()));
  if (notTaken.length > 0) io.err(`Not taken over: ${notTaken.length}, named at its end.`);
  io.err(
    isWritten
      ? `Wrote ${PROJECT_CONFIG}. Look at it and trust it: sluice trust`
      : `Nothing was written. To keep it as ${PROJECT_CONFIG}: sluice import skep --write`,
  );
}

/** Errors: RefusedError where there is one. */
function writeOrRefuse(root: string, text: string): void {
  if (writeFirstConfig(root, text).kind === 'written') return;
  throw new RefusedError({
    what: `${PROJECT_CONFIG} is there already`,
    why: 'an import never overwrites a config',
    now: 'Nothing was written; that config stays as it is.',
    mend: `sluice import skep    and take over by hand what ${PROJECT_CONFIG} is to have of it`,
  });
}
