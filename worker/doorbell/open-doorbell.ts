/** The doorbell of a worker (`engine.webhook`). A worker does its work without it, so that nothing that keeps it from listening is an error: the log says it, and it is tried again. */
import type { Server } from 'node:http';
import type { WebhookSettings } from '../../config/home/host-settings.js';
import { codeOf, messageOf } from '../../config/system/error-code.js';
import { createValueRedactor } from '../../protocol/text/value-redactor.js';
import { Bell, type BellOptions } from './bell.js';
import { listenForRings } from './listen-for-rings.js';

export interface DoorbellOptions extends BellOptions, WebhookSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Unit: ms. */
  readonly againMs?: number;
}

export interface Doorbell {
  /** Nobody is told any more. */
  close(): void;
}

/** Unit: characters; what is shorter can be guessed from one delivery. */
const LEAST_SECRET = 16;

const AGAIN_MS = 60_000;

const WITHOUT = 'pull requests are looked at each minute all the same';

export function openDoorbell(options: DoorbellOptions): Doorbell {
  const { port, secretEnv, environment, againMs = AGAIN_MS } = options;
  const secret = environment[secretEnv] ?? '';
  if (secret.length < LEAST_SECRET) {
    const why = `the secret must be in the worker's variable ${secretEnv}, of at least ${LEAST_SECRET} characters`;
    options.warn(`the web hook is off; ${WITHOUT}`, { port, why });
    return { close() {} };
  }
  const { hide } = createValueRedactor([secret]);
  const warn: BellOptions['warn'] = (message, fields) =>
    options.warn(message, { ...fields, error: hide(String(fields['error'])) });
  const bell = new Bell({ ...options, warn });
  let server: Server | null = null;
  let [isClosed, said] = [false, ''];
  let timer: NodeJS.Timeout | undefined;
  const listen = async () => {
    try {
      const opened = await listenForRings({ port, secret }, (ring) => bell.ring(ring));
      if (isClosed) opened.close();
      else server = opened;
    } catch (error) {
      const why = codeOf(error) === 'EADDRINUSE' ? 'another process listens there' : messageOf(error);
      if (why !== said) options.warn(`the web hook cannot listen, and tries again; ${WITHOUT}`, { port, why });
      said = why;
      if (!isClosed) timer = setTimeout(() => void listen(), againMs).unref();
    }
  };
  void listen();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      bell.close();
      server?.close();
      server?.closeAllConnections();
    },
  };
}
