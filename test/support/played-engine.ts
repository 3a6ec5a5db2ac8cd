/** The socket of a home's engine is the real one; the engine behind it is played. */
import type { EngineReport } from '../../worker/local-engine/control/control.js';
import {
  type Controlled,
  type ControlServer,
  listenForControl,
} from '../../worker/local-engine/control/control-server.js';
import { makeEngineFolders } from '../../worker/local-engine/state/engine-paths.js';

const REPORT: EngineReport = {
  phase: 'up',
  pid: process.pid,
  address: '127.0.0.1:7233',
  namespace: 'default',
  uiAddress: null,
  binary: '/opt/temporal',
  serverVersion: '1.31.2',
  startedAt: '2026-11-21T10:00:00.000Z',
  serverPid: process.pid,
  workerPid: null,
  serverRestarts: 0,
  workerRestarts: 0,
  error: null,
};

/** `report`: what it says of itself whenever it is asked, beside what every engine says. */
export function playEngine(
  home: string,
  report: () => Partial<EngineReport>,
  watch: Controlled['watch'] = () => () => undefined,
): Promise<ControlServer> {
  const nothing = async () => undefined;
  return listenForControl(makeEngineFolders(home).socket, {
    report: () => ({ ...REPORT, ...report() }),
    watch,
    drain: nothing,
    resume: nothing,
    restartWorker: nothing,
    stop: nothing,
  });
}
