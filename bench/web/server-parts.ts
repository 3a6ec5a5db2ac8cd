/** What the server of the page costs: memory for many streams, and questions to Temporal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RunLister } from '../../client/http/list-runs.js';
import { LiveHub } from '../../client/http/live-hub.js';
import { ServerLine } from '../../client/http/server-line.js';
import { createSluice, type Sluice } from '../../client/sluice.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { residentMbOf } from '../home-processes.js';
import { add, type Measuring } from '../plain-run.js';
import { until } from '../until.js';
import { plantRuns, type WebPlace } from './web-place.js';

const FACADE = fileURLToPath(new URL('../../dist/client/index.js', import.meta.url));
const MINUTE_MS = 60_000;

/** Over a process that only holds the facade. */
export async function measureStreams(
  { samples, host }: Measuring,
  { web, folder }: WebPlace,
  count: number,
): Promise<void> {
  const runs = plantRuns(folder, { count, events: 500, name: 'streamed' });
  const stop = new AbortController();
  try {
    await Promise.all(
      runs.map(({ runId }) =>
        openStream(`http://${web.address}/api/stream?topic=list&topic=run:${runId}`, web.key, stop.signal),
      ),
    );
    const facadeMb = await rssOfFacade(host.address);
    add(samples, 'webRssMb', heldBy(web.process.process) - facadeMb);
  } finally {
    stop.abort();
  }
}

/** By the same parts as the server has, whose connection is counted; with many readers of the list, and with none. */
export async function measureCalls({ samples, host }: Measuring, ms: number): Promise<void> {
  await using sluice = await createSluice({
    address: host.address,
    // The one by default is loaded as compiled.
    dataConverter: { payloadCodecs: [new RedactingCodec()] },
  });
  let calls = 0;
  const counted = new Proxy(sluice, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close') return value;
      return (...args: readonly unknown[]) => {
        calls += 1;
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  const line = new ServerLine(async () => keptOpen(counted));
  const lister = new RunLister(line, { home: host.home, cwd: host.repository, warn: () => {} });
  const hub = new LiveHub(lister, line, host.home);
  const readers = Array.from({ length: 50 }, () => hub.read({ kind: 'list' }, () => {}));
  await delay(ms);
  add(samples, 'callsPerMinute', (calls * MINUTE_MS) / ms);
  for (const reader of readers) reader.leave();
  calls = 0;
  await delay(ms / 10);
  add(samples, 'idleCallsPerMinute', (calls * MINUTE_MS * 10) / ms);
}

/** The line closes what it was given; here it is somebody else's. */
function keptOpen(sluice: Sluice): Sluice {
  return new Proxy(sluice, { get: (target, name) => (name === 'close' ? async () => {} : Reflect.get(target, name)) });
}

/** Until both topics are told; it is read on until the signal. Errors: a stream that was refused, or ended before. */
function openStream(url: string, key: string, signal: AbortSignal): Promise<void> {
  return new Promise((began, failed) => {
    const read = async () => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
      if (answer.body === null || !answer.ok) throw new Error(`no stream: ${answer.status}`);
      let told = '';
      for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
        told += piece;
        if (told.includes('"topic":"run"') && told.includes('"topic":"list"')) began();
      }
      throw new Error('a stream ended');
    };
    // Once it began nobody hears of its end, such as that by the signal.
    read().catch(failed);
  });
}

async function rssOfFacade(address: string): Promise<number> {
  const code = `const { createSluice } = await import(${JSON.stringify(FACADE)});
    const sluice = await createSluice({ address: ${JSON.stringify(address)} });
    await sluice.list(10); console.log('held'); setInterval(() => sluice, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let said = '';
    child.stdout.on('data', (piece) => (said += String(piece)));
    await until('the facade is held', async () => said.includes('held'));
    return heldBy(child);
  } finally {
    child.kill();
  }
}

/** Unit: MB. Errors: a process that is gone. */
function heldBy({ pid, spawnfile }: ChildProcess): number {
  const mb = pid === undefined ? 0 : residentMbOf(pid);
  if (mb === 0) throw new Error(`${spawnfile} does not live`);
  return mb;
}
