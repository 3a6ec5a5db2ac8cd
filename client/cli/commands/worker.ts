/** `sluice worker`: a worker in the foreground for the server of TEMPORAL_ADDRESS. Ctrl+C lets it detach from its turns first. */
import { spawn } from 'node:child_process';
import { entryFile } from '../../../config/system/entries.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { chooseServer } from '../server/choose-server.js';
import { serveRepository } from '../server/host-config.js';
import { checkRepository } from '../start/check-repository.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export async function worker(
  { io, home, json }: Context,
  { repo = [] }: { readonly repo?: readonly string[] | undefined },
): Promise<ExitCode> {
  const program = entryFile('worker');
  // The worker reads the same variables and profile; what is wrong with them is told here, in four parts.
  await chooseServer({ io, home, json }, { local: false });
  for (const path of repo)
    await serveRepository(home, (await checkRepository({ io, home, json }, { repo: path })).root);
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...io.env, SLUICE_HOME: home },
  });
  // A terminal sends Ctrl+C to the whole group; a signal from elsewhere reaches only this process, so it is handed on.
  const handOn = () => child.kill('SIGTERM');
  io.stop.addEventListener('abort', handOn, { once: true });
  if (io.stop.aborted) handOn();
  const code = await new Promise<number | Error>((resolve) => {
    child.once('error', resolve);
    child.once('exit', (exit, signal) => resolve(exit ?? (signal === null ? 1 : 128)));
  });
  if (io.stop.aborted) return EXIT.detached;
  if (code === 0) return EXIT.done;
  throw new RefusedError({
    what:
      code instanceof Error
        ? `the worker could not be started: ${foreign(code.message)}`
        : `the worker ended with exit code ${code}`,
    why: 'what it said stands above',
    now: 'No worker of this command runs; turns at work go on under their guard.',
    mend: 'sluice doctor',
  });
}
