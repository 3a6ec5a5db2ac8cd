/**
 * `sluice up`: brings the local engine up and prints what Temporal's own tools need to reach it.
 * Standard output holds shell lines only, so that `eval "$(sluice up)"` works; what is for people goes to standard error.
 */
import { dirname } from 'node:path';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { restartEngineWorker, upEngine } from '../server/up.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface UpCommandOptions {
  readonly ui: boolean;
  readonly restart: boolean;
}

export async function up(context: Context, { ui, restart }: UpCommandOptions): Promise<ExitCode> {
  personOf(context);
  const { io, json, home } = context;
  const onProgress = (text: string) => io.err(foreign(text));
  // An engine that is going down starts no worker.
  if (restart && (await restartEngineWorker(home))?.phase === 'up')
    onProgress('the worker is a new process; running turns go on');
  const engine = await upEngine(context, { ui, onProgress });
  if (json) {
    io.json({
      address: engine.address,
      namespace: engine.namespace,
      uiAddress: engine.uiAddress,
      binary: engine.binary,
      started: engine.started,
    });
    return EXIT.done;
  }
  io.err(`The local engine is ${engine.started ? 'up' : 'already up'} at ${engine.address}.`);
  if (engine.uiAddress !== null) io.err(`Web UI: http://${engine.uiAddress.replace(/^https?:\/\//, '')}`);
  if (io.outIsTerminal) io.err('For Temporal\'s own tools (or: eval "$(sluice up)"):');
  io.out(`export TEMPORAL_ADDRESS=${engine.address}`);
  io.out(`export PATH="$PATH:"${shellWord(foreign(dirname(engine.binary)))}`);
  return EXIT.done;
}
