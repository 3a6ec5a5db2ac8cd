/** What of the checkout a run does not have, said before it starts. */
import { uncommittedFiles } from '../../uncommitted-files.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';

const MAX_TOLD = 3;

/** Begins the look; what it answers tells. Between them a start does what else takes its time. */
export function lookForUncommitted(root: string, head: string): (context: Context) => Promise<void> {
  // A note is no reason to start nothing.
  const looking = uncommittedFiles(root, head).catch(() => null);
  return async ({ io }) => tellUncommitted(io, (await looking) ?? []);
}

function tellUncommitted(io: Context['io'], files: readonly string[]): void {
  if (files.length === 0) return;
  const [what, is] = files.length === 1 ? ['1 file', 'is'] : [`${files.length} files`, 'are'];
  const named = files.slice(0, MAX_TOLD).map((file) => foreign(file).slice(0, 80));
  const more = files.length > MAX_TOLD ? `, and ${files.length - MAX_TOLD} more` : '';
  io.err(`Note: ${what} of your checkout ${is} not committed, and not in the run: ${named.join(', ')}${more}`);
}
