/**
 * What an agent that sees nothing but its prompt is shown of the repository, below that prompt: the change to those who judge it, the names of the files
 * to those who plan. It is read by the engine's own git, with the private git dir of the run, so no attribute, filter or program of the repository has a
 * say. Each text is cut to a share of the prompt; head and tail stay.
 */

import { cutMiddle } from '../../config/system/cut-middle.js';
import type { RunTurnInput } from '../../protocol/messages/messages.js';
import { isDecisionStage } from '../../protocol/run/stages.js';
import { taggedText } from '../../protocol/text/tagged-text.js';
import type { ComposedPrompt } from '../agent/prompts/compose-prompt.js';
import type { RunGit } from '../git/run/open-run-git.js';
import { GitError } from '../git/start/run-git.js';

/** Of the context of the prompt, to which they come; with the longest prompt about 90 000 tokens. */
const CHANGE_SHARE = 0.8;
const NAMES_SHARE = 0.2;

interface Shown {
  readonly baseSha: string;
  /** Unit: bytes of UTF-8. */
  readonly contextBytes: number;
  readonly turn: Pick<RunTurnInput, 'stage' | 'ask' | 'expectedHead'>;
}

/** Empty for a turn that only decides again: its own answer stands in the prompt. */
export async function repositoryText(
  git: Pick<RunGit, 'patch' | 'files'>,
  { baseSha, contextBytes, turn }: Shown,
): Promise<ComposedPrompt> {
  const { stage, ask, expectedHead } = turn;
  if (ask === 'decision') return { text: '', cut: false };
  const parts = [
    ...(isDecisionStage(stage)
      ? [await shown('change', CHANGE_SHARE * contextBytes, () => git.patch(baseSha, expectedHead))]
      : []),
    await shown('files', NAMES_SHARE * contextBytes, async () =>
      (await git.files(expectedHead)).map(printableName).join('\n'),
    ),
  ];
  const text = parts.map((part) => part.text).join('\n\n');
  return {
    text: `\n## The repository\n\nYou cannot read the worktree or run a program. Here is what there is instead; the rules above hold for it too.\n\n${text}\n`,
    cut: parts.some(({ cut }) => cut),
  };
}

/** What git cannot give, a diff above any bound say, must not end the run: the agent says what it cannot judge. */
async function shown(name: string, maxBytes: number, read: () => Promise<string>): Promise<ComposedPrompt> {
  try {
    const whole = (await read()).trimEnd();
    const text = cutMiddle(whole, Math.floor(maxBytes));
    return { text: taggedText(name, text), cut: text !== whole };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { text: taggedText(name, 'could not be read'), cut: true };
  }
}

/** A name may hold a line break. */
function printableName(name: string): string {
  return /[\n\r]/.test(name) ? JSON.stringify(name) : name;
}
