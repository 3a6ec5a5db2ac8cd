/** Whose words for the state of a task a person reads: those that they ask for, else those of the preset of the repository that they stand in. */
import { type StatusView, viewOfPreset } from '../../../protocol/views/skep-status.js';
import { readProject } from '../start/look-at-config.js';
import type { Context } from '../terminal/context.js';

/** A config that cannot be used keeps nobody from looking: the words are the engine's then. */
export async function statusViewOf(context: Context, asked: StatusView | undefined): Promise<StatusView> {
  if (asked !== undefined) return asked;
  const project = await readProject(context);
  return project === null || project.config instanceof Error ? 'engine' : viewOfPreset(project.config.policy.preset);
}
