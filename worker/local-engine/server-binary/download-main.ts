/** Run by download.ts with a folder: lets the SDK download the pinned server into it, start it once and end it. */
import { Runtime } from '@temporalio/worker';
import { closeForeignDescriptors } from '../../../config/system/foreign-descriptors.js';
import { LOOPBACK } from '../children/ports.js';
import { NAMESPACE } from '../state/engine-state.js';
import { PINNED_CLI_VERSION } from './version.js';

closeForeignDescriptors();
void download(process.argv[2]);

async function download(folder: string | undefined): Promise<void> {
  if (folder === undefined) throw new Error('usage: download-main <folder>');
  const runtime = Runtime.instance();
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir: folder,
      version: PINNED_CLI_VERSION,
      ttl: 0,
      sdkName: 'sdk-typescript',
      sdkVersion: '1.24.0',
    },
    namespace: NAMESPACE,
    ip: LOOPBACK,
    port: null,
    uiPort: null,
    dbFilename: null,
    ui: false,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
  await runtime.shutdown();
}
