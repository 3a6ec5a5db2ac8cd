/** An engine that gave up on its server: what a new worker process is to it. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ensureEngine, restartWorker } from '../../../worker/local-engine/control/ensure-engine.js';
import { findServerBinary } from '../../../worker/local-engine/server-binary/find-server-binary.js';
import { aHome, type TestHome, untilReport } from './engine-fixture.js';

const LIMIT_MS = 300_000;
const named = process.env['SLUICE_TEMPORAL_CLI'];

let place: TestHome;
beforeEach(() => {
  place = aHome();
});
afterEach(async () => {
  if (named === undefined) delete process.env['SLUICE_TEMPORAL_CLI'];
  else process.env['SLUICE_TEMPORAL_CLI'] = named;
  await place.remove();
}, LIMIT_MS);

/** The real server, until `broken` lies beside it. */
async function useBreakable(folder: string): Promise<() => void> {
  const { path } = await findServerBinary();
  const broken = join(folder, 'broken');
  const program = join(folder, 'temporal');
  const script = `#!/bin/sh\nif [ "$1" = server ] && [ -e '${broken}' ]; then echo 'it is broken' >&2; exit 3; fi\nexec '${path}' "$@"\n`;
  writeFileSync(program, script, { mode: 0o755 });
  process.env['SLUICE_TEMPORAL_CLI'] = program;
  return () => writeFileSync(broken, '');
}

it(
  'keeps its reason and starts no worker when a new one is asked for',
  async () => {
    const breakServer = await useBreakable(dirname(place.home));
    const options = place.options();
    await ensureEngine(options);
    const { serverPid } = await untilReport(place.home, (report) => report.serverPid !== null);
    breakServer();
    process.kill(serverPid ?? 0, 'SIGKILL');
    const given = await untilReport(place.home, (report) => report.phase === 'failed' && report.workerPid === null);

    const after = await restartWorker(place.home, options.workerCommand);

    expect(given.error?.what).toMatch(/gave up: the server ended with exit code 3/);
    expect(after).toMatchObject({ phase: 'failed', error: given.error, workerPid: null });
  },
  LIMIT_MS,
);
