/**
 * What an agent that sees nothing but its prompt is shown of the repository, below that prompt: the change to those who judge it, the names of the files
 * to those who plan. It is read by the engine's own git, with the private git dir of the run, so no attribute, filter or program of the repository has a
 * say. Each text is cut to a share of the prompt; head and tail stay.
 */
import type { RunTurnInput } from '../../protocol/messages.js';
import { cutMiddle } from '../agent/cut-middle.js';
import type { RunGit } from '../git/open-run-git.js';
import { GitError } from '../git/run-git.js';

/** Unit: bytes of UTF-8; with the longest prompt about 90 000 tokens. */
const MAX_CHANGE_BYTES = 160_000;

/** Unit: bytes of UTF-8. */
const MAX_NAMES_BYTES = 40_000;

/** Empty for a turn that only decides again: its own answer stands in the prompt. */
export async function repositoryText(
  git: Pick<RunGit, 'patch' | 'files'>,
  baseSha: string,
  { stage, ask, expectedHead }: Pick<RunTurnInput, 'stage' | 'ask' | 'expectedHead'>,
): Promise<string> {
  if (ask === 'decision') return '';
  const isJudging = stage === 'reviewing' || stage === 'verifying';
  const parts = [
    ...(isJudging ? [await shown('change', MAX_CHANGE_BYTES, () => git.patch(baseSha, expectedHead))] : []),
    await shown('files', MAX_NAMES_BYTES, async () => (await git.files(expectedHead)).map(printableName).join('\n')),
  ];
  return `\n## The repository\n\nYou cannot read the worktree or run a program. Here is what there is instead; the rules above hold for it too.\n\n${parts.join('\n\n')}\n`;
}

/** What git cannot give, a diff above any bound say, must not end the run: the agent says what it cannot judge. */
async function shown(name: string, maxBytes: number, read: () => Promise<string>): Promise<string> {
  try {
    const text = cutMiddle((await read()).trimEnd(), maxBytes);
    // A closing tag inside the text would end it early.
    return `<${name}>\n${text.replaceAll(`</${name}>`, `<\\/${name}>`)}\n</${name}>`;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `<${name}>\ncould not be read\n</${name}>`;
  }
}

/** A name may hold a line break. */
function printableName(name: string): string {
  return /[\n\r]/.test(name) ? JSON.stringify(name) : name;
}
