/** What a command is told of the local engine: down, or up and not answering. Its socket is played here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUILD } from '../../../client/calls/call-lines.js';
import { connectOrRead, connectToLook } from '../../../client/cli/server/connect.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { freePort } from '../../../worker/local-engine/children/ports.js';
import { enginePaths } from '../../../worker/local-engine/state/engine-paths.js';
import { openTerminal } from './fake-io.js';

const LIMIT_MS = 300;

let home: string;
let engine: Server | null;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-connect-'));
  engine = null;
});
afterEach(async () => {
  await new Promise((resolve) => (engine === null ? resolve(null) : engine.close(resolve)));
  rmSync(home, { recursive: true, force: true });
});

/** `report` null: it takes connections and says nothing. One that starts is never up. */
async function openEngine(report: Record<string, unknown> | null): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (asked) => {
      const answers = report !== null && (report['phase'] !== 'starting' || !asked.includes('wait'));
      if (answers) socket.write(`${JSON.stringify({ type: 'status', report })}\n`);
    });
    socket.on('close', () => socket.destroy());
    if (report?.['phase'] !== 'up') setTimeout(() => socket.destroy(), 3 * LIMIT_MS);
  });
  engine = server;
  await new Promise<void>((resolve) => server.listen(enginePaths(home).socket, resolve));
}

/** Of an engine whose server is gone: it hears one call and dies of it. */
async function openMortalWorker(): Promise<{ readonly address: string; readonly worker: Server }> {
  const address = `127.0.0.1:${await freePort(30_000 + Math.floor(Math.random() * 10_000))}`;
  await openEngine({ phase: 'up', pid: 1, address, namespace: 'default' });
  const worker = createServer((socket) => {
    socket.write(`${JSON.stringify({ type: 'hello', build: BUILD })}\n`);
    socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => worker.listen(enginePaths(home).calls, resolve));
  return { address, worker };
}

const terminal = () => {
  const opened = openTerminal();
  return { ...opened, context: { ...opened.context, home } };
};

describe('a command that looks for the local engine', () => {
  it('finds it down where nothing listens, and says that files are read', async () => {
    const { context, err } = terminal();

    expect(await connectToLook(context, LIMIT_MS)).toBeNull();
    expect(err).toEqual([]);
    expect(await connectOrRead(context, 'these are files')).toBeNull();
    expect(err).toEqual(['The engine is down; these are files.']);
  });

  it('never calls it down when its socket says up and its server takes long', async () => {
    const address = `127.0.0.1:${await freePort(30_000 + Math.floor(Math.random() * 10_000))}`;
    await openEngine({ phase: 'up', pid: 1, address, namespace: 'default' });

    const error = await connectToLook(terminal().context, LIMIT_MS).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(RefusedError);
    expect((error as RefusedError).message).toContain(
      `the local engine runs and does not answer: its server at ${address}`,
    );
  });

  it('asks its server itself, and calls nobody busy, once its worker is gone in mid-call', async () => {
    const { address, worker } = await openMortalWorker();
    const { context, err } = terminal();
    await using sluice = await connectToLook(context, LIMIT_MS);

    const error = await sluice?.list(1).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(RefusedError);
    expect((error as RefusedError).message).toContain(`its server at ${address}`);
    expect((error as RefusedError).message).toContain('Nothing was sent or changed');
    expect(err).toEqual([]);
    await new Promise((resolve) => worker.close(resolve));
  });

  it('says of a start that its worker heard before it was gone that it may have counted, and of the next that it did not', async () => {
    const { worker } = await openMortalWorker();
    await using sluice = await connectToLook(terminal().context, LIMIT_MS);
    const start = () =>
      sluice?.startRun({ runId: 'shop-1', input: { task: 't', repo: '/r' } }).catch((reason: unknown) => reason);

    const [heard, unheard] = [await start(), await start()];

    expect(heard).toMatchObject({
      parts: {
        now: 'Whether it arrived is not known.',
        mend: expect.stringMatching(/^sluice up {4}then look whether it is there/),
      },
    });
    expect(unheard).toMatchObject({ parts: { now: expect.stringMatching(/^Nothing was sent/) } });
    await new Promise((resolve) => worker.close(resolve));
  });

  it('never calls it down when its socket takes the question and says nothing', async () => {
    await openEngine(null);

    const error = await connectToLook(terminal().context, LIMIT_MS).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(RefusedError);
    expect((error as RefusedError).message).toContain('its own socket says nothing');
  });

  it('never mends one that is still starting by its end', async () => {
    await openEngine({ phase: 'starting', pid: 1 });

    const error = await connectToLook(terminal().context, LIMIT_MS).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(RefusedError);
    expect((error as RefusedError).parts).toMatchObject({
      what: expect.stringContaining('is still starting'),
      mend: expect.stringMatching(/^sluice up\b/),
    });
  });
});
