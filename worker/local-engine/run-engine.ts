/** The life of the process `sluice-engine`. Exit codes: 0 after `sluice down`, 1 after a failed start, 75 if another engine owns this home. */
import { closeForeignDescriptors } from '../../config/system/foreign-descriptors.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { UMASK_VARIABLE } from '../../protocol/names.js';
import { Engine } from './engine.js';
import { readEngineOptions } from './state/engine-options.js';
import { enginePaths } from './state/engine-paths.js';
import { tryLock } from './state/kernel-lock.js';

const OWNED_BY_ANOTHER = 75;

/** `argument`: the options as the starter wrote them. Ends the process. */
export async function runEngine(argument: string | undefined, failpoint: Failpoint): Promise<never> {
  closeForeignDescriptors();
  process.title = 'sluice-engine';
  // The starting shell's: what the person's programs get. The worker is told by this variable, for by then it is ours.
  process.env[UMASK_VARIABLE] = process.umask(0o077).toString(8);
  // It outlives the terminal that started it.
  process.on('SIGHUP', () => undefined);
  const options = readEngineOptions(argument);
  const paths = enginePaths(options.home);
  const lock = await tryLock(paths.lock);
  if (lock === null) process.exit(OWNED_BY_ANOTHER);
  const engine = new Engine(options, paths, failpoint);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void engine.stop({ now: false }));
  await engine.run();
  // The kernel releases the lock with the process; children do not inherit it.
  process.exit(engine.startFailed ? 1 : 0);
}
