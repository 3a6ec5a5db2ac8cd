/**
 * Finds tokens of known shapes in added lines, with secretlint's recommended rules. Loading them costs about 35 ms, once a process
 * (`warmTokenRules`), a small diff less than 1 ms. It promises nothing about secrets without a known shape.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AddedLine } from '../start/contract.js';

export interface TokenFound {
  readonly line: number;
  /** The rule that matched, never the token. */
  readonly shape: string;
}

/** The preset reads such comments as permission to skip lines; an agent must not be able to give it to itself. */
const DIRECTIVE = /secretlint-/gi;

let loading: Promise<Rules> | null = null;

/** **Unit** characters that the linter sees at once: it compares each token that it finds with all others, so that a long file of tokens would hold the process for hours. */
const WINDOW = 32 * 1024;

/** **Unit** characters. The longest that it finds are keys of some 10 000 characters: one that a window cuts off is whole in the next. */
const OVERLAP = 10_000;

/** Of one file; the change is refused for the first. */
const MOST_FOUND = 100;

type Rules = Awaited<ReturnType<typeof load>>;

/** Loads the rules ahead of the first diff. */
export async function warmTokenRules(): Promise<void> {
  loading ??= load();
  await loading;
}

export async function findTokens(path: string, lines: readonly AddedLine[]): Promise<TokenFound[]> {
  loading ??= load();
  const { lintSource, creator } = await loading;
  const added = lines.map(({ text }) => text.replace(DIRECTIVE, 'secretlint_')).join('\n');
  // By where each begins: the next window has what the one before had at its end.
  const found = new Map<string, TokenFound>();
  for (const { at, before, content } of windowsOf(added)) {
    const { messages } = await lintSource({
      source: { content, filePath: path, ext: '', contentType: 'text' },
      options: {
        maskSecrets: true,
        noPhysicFilePath: true,
        config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] },
      },
    });
    for (const { loc, range, messageId: shape } of messages)
      found.set(`${at + range[0]} ${shape}`, { line: lines[before + loc.start.line - 1]?.line ?? 0, shape });
    if (found.size >= MOST_FOUND) break;
    await nextTurn();
  }
  return [...found.values()].slice(0, MOST_FOUND);
}

interface Window {
  /** **Unit** characters and lines before it. */
  readonly at: number;
  readonly before: number;
  readonly content: string;
}

/** Each but the first begins with a line where one begins in time. */
function* windowsOf(added: string): Generator<Window> {
  let [at, before] = [0, 0];
  for (;;) {
    const content = added.slice(at, at + WINDOW);
    yield { at, before, content };
    if (at + WINDOW >= added.length) return;
    const passed = content.slice(0, content.lastIndexOf('\n', WINDOW - OVERLAP - 1) + 1 || WINDOW - OVERLAP);
    before += passed.split('\n').length - 1;
    at += passed.length;
  }
}

async function load() {
  const [{ lintSource }, { creator }, { secretLintProfiler }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/profiler'),
  ]);
  // It keeps some forty marks of every text for as long as the process lives, looks through all of them for each, and takes names of files apart for them.
  secretLintProfiler.mark = () => undefined;
  return { lintSource, creator };
}
