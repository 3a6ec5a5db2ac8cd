/**
 * The worker process. Prints one JSON line `{"type":"ready",…}` when it polls. SIGTERM and SIGINT stop it and leave agents at work;
 * so does the end of stdin where that is a pipe: the engine that held it is gone.
 * With `--serve-calls`, which the local engine gives it, it makes the calls of the command line too.
 * Server, namespace, TLS and keys come from the TEMPORAL_* variables and, without `--no-profile`, the profile file, as the `temporal` command reads them.
 */
import { fstatSync } from 'node:fs';
import { closeForeignDescriptors } from '../config/system/foreign-descriptors.js';
import { sayLastWords, systemWords } from '../config/system/last-words.js';
import { UMASK_VARIABLE } from '../protocol/names.js';

const DEFAULT_ADDRESS = '127.0.0.1:7233';

const SAID = { now: 'No worker runs in this process; turns at work go on under their guard.' };

sayLastWords(SAID);
closeForeignDescriptors();
const umask = process.umask(0o077).toString(8);
main().catch((err) => {
  process.stderr.write(systemWords(err, SAID) ?? `${err instanceof Error ? err.message : String(err)}\n`);
  // Whatever is still open would keep it alive, and nobody would start another.
  process.exit(1);
});

async function main(): Promise<void> {
  const [{ loadClientConnectConfig }, { homeRoot }, { startWorker }, { serveCommandLine }] = await Promise.all([
    import('@temporalio/envconfig'),
    import('../config/home/home.js'),
    import('./start-worker.js'),
    import('./serve-command-line.js'),
  ]);
  const { connectionOptions, namespace } = loadClientConnectConfig({
    disableFile: process.argv.includes('--no-profile'),
  });
  const { address, ...connection } = connectionOptions;
  const home = homeRoot(process.env);
  const server = {
    address: address === undefined || address === '' ? DEFAULT_ADDRESS : address,
    namespace: namespace ?? 'default',
  };
  const worker = await startWorker({
    home,
    ...server,
    connection,
    environment: { [UMASK_VARIABLE]: umask, ...process.env },
  });
  const endCalls = process.argv.includes('--serve-calls') ? await serveCommandLine(home, server) : null;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => worker.stop());
  if (isPipe(0))
    process.stdin
      .resume()
      .once('end', () => worker.stop())
      .once('error', () => worker.stop());
  process.stdout.write(`${JSON.stringify({ type: 'ready', hostId: worker.hostId, pid: process.pid })}\n`);
  await worker.done;
  await endCalls?.();
  process.stdin.destroy();
}

/** Node gives its children unix sockets as pipes. */
function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
