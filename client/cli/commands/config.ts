/** `sluice config`: every effective value, and the file and line, preset or default that it comes from. */
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { checkRepository } from '../start/check-repository.js';
import { effectiveConfig } from '../start/choose-config.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export async function config(context: Context, { repo }: { readonly repo?: string | undefined }): Promise<ExitCode> {
  const { io, json } = context;
  const { root, baseSha } = await checkRepository(context, { repo });
  const resolved = await effectiveConfig(context, { root, baseSha, runInput: {}, program: null, toLook: true });
  const rows = explainConfig(resolved);
  const width = Math.max(...rows.map(({ key }) => key.length));
  for (const { key, value, text, origin } of rows) {
    if (json) io.json({ key, value, origin });
    else io.out(`${foreign(key.padEnd(width))}  ${foreign(text)}  ${io.colors.dim(`(${foreign(origin)})`)}`);
  }
  if (Object.keys(resolved.policy.agents).length === 0) {
    io.err(
      'No agent is configured: name one with sluice run "<task>" --agent command -- <program>, or keep one with sluice init.',
    );
  }
  return EXIT.done;
}
