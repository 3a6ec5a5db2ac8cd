/**
 * The engine's end of its socket. The caller holds the home's lock, so a socket that lies there is a dead engine's and is removed.
 * Readable and writable by the owner only (the process' umask is 077).
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type ControlRequest, type EngineReport, readRequest, type WorkerStart, writeReply } from './control.js';

export interface Controlled {
  report(): EngineReport;
  watch(onChange: (progress: string | null) => void): () => void;
  drain(how: { readonly now: boolean }): Promise<void>;
  resume(): Promise<void>;
  restartWorker(as: WorkerStart | null): Promise<void>;
  stop(how: { readonly now: boolean }): Promise<void>;
}

export interface ControlServer {
  /** Ends every connection after what was written to it. */
  close(): Promise<void>;
}

export async function listenForControl(socketPath: string, engine: Controlled): Promise<ControlServer> {
  rmSync(socketPath, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, engine);
  });
  await new Promise<void>((resolve, reject) => {
    // It listens on: an error of later, such as of a connection for which no descriptor is left, ends nothing.
    server.on('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.end(() => socket.destroy());
      }),
  };
}

function serve(socket: Socket, engine: Controlled): void {
  let drained: Promise<void> | null = null;
  let unwatch = (): void => undefined;
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    unwatch();
    if (drained !== null) void engine.resume();
  });

  async function handle(request: ControlRequest): Promise<void> {
    switch (request.type) {
      case 'status':
        return writeReply(socket, { type: 'status', report: engine.report() });
      case 'wait':
        unwatch = waitUntilSettled(socket, engine);
        return;
      case 'drain':
        drained ??= engine.drain({ now: request.now });
        await drained;
        return writeReply(socket, { type: 'drained' });
      case 'restart':
        await engine.restartWorker(request.as);
        return writeReply(socket, { type: 'status', report: engine.report() });
      case 'down':
        return engine.stop({ now: request.now });
      default:
        return request satisfies never;
    }
  }

  endEndlessLine(socket);
  const lines = createInterface({ input: socket });
  // It says again what the socket said, and would end the engine where nobody hears it.
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const request = readRequest(line);
    if (request === null) writeReply(socket, { type: 'refused', reason: 'no such request' });
    else void handle(request);
  });
}

/** A request has some dozen bytes, or an environment, for which systems have 2 MB; whoever sends no end of a line would fill the engine's memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

function endEndlessLine(socket: Socket): void {
  let held = 0;
  socket.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf('\n');
    held = end < 0 ? held + chunk.length : chunk.length - end - 1;
    if (held > MAX_LINE_BYTES) socket.destroy();
  });
}

/** Whoever waits then waits as long as the turns take. */
const DRAINING = 'a sluice down waits for running turns, so this waits for its end (sluice down --now ends them)';

function waitUntilSettled(socket: Socket, engine: Controlled): () => void {
  function tell(): boolean {
    const report = engine.report();
    if (report.phase === 'draining') writeReply(socket, { type: 'progress', text: DRAINING });
    if (report.phase !== 'up' && report.phase !== 'failed') return false;
    writeReply(socket, { type: 'status', report });
    return true;
  }
  if (tell()) return () => undefined;
  const unwatch = engine.watch((progress) => {
    if (progress !== null) writeReply(socket, { type: 'progress', text: progress });
    else if (tell()) unwatch();
  });
  return unwatch;
}
