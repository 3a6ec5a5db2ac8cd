/**
 * Finds tokens of known shapes in added lines, with secretlint's recommended rules. Loading them costs about 35 ms, once a process
 * (`warmTokenRules`), a small diff less than 1 ms. It promises nothing about secrets without a known shape.
 */
import type { AddedLine } from '../start/contract.js';

export interface TokenFound {
  readonly line: number;
  /** The rule that matched, never the token. */
  readonly shape: string;
}

/** The preset reads such comments as permission to skip lines; an agent must not be able to give it to itself. */
const DIRECTIVE = /secretlint-/gi;

let loading: Promise<Rules> | null = null;

/**
 * The linter's profiler takes names of marks apart: a newline or `::end` in one is an unhandled rejection, which ends the process.
 * What stays tells `package.json` and `.npmrc`, which have rules of their own.
 */
const UNSAFE_IN_NAME = /[^\w./-]/g;

type Rules = Awaited<ReturnType<typeof load>>;

/** Loads the rules ahead of the first diff. */
export async function warmTokenRules(): Promise<void> {
  loading ??= load();
  await loading;
}

export async function findTokens(path: string, lines: readonly AddedLine[]): Promise<TokenFound[]> {
  loading ??= load();
  const { lintSource, creator } = await loading;
  const content = lines.map(({ text }) => text.replace(DIRECTIVE, 'secretlint_')).join('\n');
  const { messages } = await lintSource({
    source: { content, filePath: path.replace(UNSAFE_IN_NAME, '_'), ext: '', contentType: 'text' },
    options: {
      maskSecrets: true,
      noPhysicFilePath: true,
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] },
    },
  });
  return messages.map(({ loc, messageId }) => ({ line: lines[loc.start.line - 1]?.line ?? 0, shape: messageId }));
}

async function load() {
  const [{ lintSource }, { creator }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  return { lintSource, creator };
}
