/** `liveCpuMs`: what it costs a worker to tell what agents say while they say it, in a process of its own that does nothing else, bundled as the build bundles a worker. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, stop } from 'esbuild';
import { WORKER_NODE_FLAGS } from '../../worker/local-engine/children/worker-child.js';
import { add, type Measuring } from '../plain-run.js';

const TELLING = fileURLToPath(new URL('./live-telling.ts', import.meta.url));
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

export async function measureLiveCpu({ host, samples }: Measuring, seconds: number): Promise<void> {
  const outfile = join(host.folder, 'live-telling.mjs');
  await build({
    entryPoints: [TELLING],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: REQUIRE },
  });
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...WORKER_NODE_FLAGS,
    outfile,
    String(seconds),
    host.folder,
  ]);
  rmSync(outfile);
  await stop();
  add(samples, 'liveCpuMs', Number(stdout));
}
