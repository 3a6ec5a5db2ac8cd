/** A demo of a backlog from its story to its end: what was told is told, the engine goes down, and plain git and node look at main. */
import { commitOf } from '../../repository.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { checkMain, cleanUp, type OpenedDemo, type ToCheck, tellPlaces } from './demo-frame.js';

export interface TasksDemo extends Pick<ToCheck, 'status' | 'steps'> {
  /** Answers the branches that are to be on main; null: it did not come so far. */
  tell(): Promise<readonly string[] | null>;
  /** What must hold beside what is on main. */
  isKept?(): Promise<boolean>;
}

export async function demoTasks(opened: OpenedDemo, { status, steps, tell, isKept }: TasksDemo): Promise<ExitCode> {
  const { world, context } = opened;
  const baseSha = (await commitOf(world.repo, 'refs/heads/main')) ?? '';
  let branches: readonly string[] | null = null;
  try {
    branches = await tell();
  } finally {
    await cleanUp(opened);
  }
  const isRight =
    branches !== null &&
    (await checkMain(context, world, { baseSha, branches, status, steps })) &&
    (isKept === undefined || (await isKept()));
  tellPlaces(opened);
  if (branches === null) return context.io.stop.aborted ? EXIT.detached : EXIT.needsPerson;
  return isRight ? EXIT.done : EXIT.failed;
}
