/** `sluice task set`: says anew how much a task matters, what it waits for and what it touches. */
import type { ItemStateName } from '../../../protocol/actors/item.js';
import { findItem } from '../find/find-item.js';
import { connectToLook } from '../server/connect.js';
import { refusal } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';
import { numberOf, readPriority, refuseLinks, serverOf, tellTask } from './task.js';

export interface SetTaskOptions {
  readonly asked: string | null;
  readonly priority?: string | undefined;
  /** Empty: as they are. `none`: there are none. */
  readonly after: readonly string[];
  readonly files: readonly string[];
  readonly note?: string | undefined;
}

const SETTABLE: readonly ItemStateName[] = ['gated', 'queued', 'running', 'parked'];

const USAGE = 'sluice task set <task> --priority 5';

/** Errors: RefusedError. */
export async function setTask(context: Context, options: SetTaskOptions): Promise<ExitCode> {
  const by = personOf(context);
  const note = checkOption('-m', options.note, USAGE);
  const priority = options.priority === undefined ? null : readPriority(options.priority);
  if (priority === null && options.after.length === 0 && options.files.length === 0)
    throw refusal('nothing is to be set', 'it takes --priority, --after and --file', USAGE);
  const files = listOf(options.files);
  await using sluice = serverOf(await connectToLook(context));
  const item = await findItem(context, sluice, { asked: options.asked, states: SETTABLE });
  const dependsOn = listOf(options.after).map((one) => numberOf(item.project, one));
  refuseLinks(dependsOn, files);
  const argument = {
    by,
    note,
    ...(priority === null ? {} : { priority }),
    ...(options.after.length === 0 ? {} : { dependsOn }),
    ...(options.files.length === 0 ? {} : { files }),
  };
  return await tellTask(context, sluice, { item, name: 'set', argument });
}

function listOf(given: readonly string[]): readonly string[] {
  return given.filter((one) => one !== 'none');
}
