/**
 * The ACP agent as a child in the process group of this client, so that the guard ends both: its stdio as messages, and its end. What it prints that is
 * no JSON object is passed over and told. **Effects** one process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type JsonEvent, jsonObjectOf, OpenLine } from '../../events/read-json-lines.js';

export interface AgentEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not be started; null: it was. */
  readonly error: string | null;
}

export interface AgentProcess {
  readonly stream: Stream;
  /** All that it printed has been taken, or it left something behind that keeps its output open. Never rejects. */
  readonly ended: Promise<AgentEnd>;
  /** Resolves once it is gone: by itself, or by the signals that it takes. */
  close(): Promise<void>;
  terminate(): void;
}

export interface AgentToStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** True: the message is taken, and the protocol's reader does not get it. */
  readonly take: (message: JsonEvent) => boolean;
  readonly passedOver: (what: 'no_json' | 'too_long') => void;
}

/** **Unit** ms. An agent that is told the end of its input writes its conversation down and goes. */
const LEAVE_MS = 500;
const TERM_MS = 1_500;

/** **Unit** ms. What a dead agent printed is in the pipe; a daemon of it may hold that open for ever. */
const DRAIN_MS = 500;

export function startAgent({ argv: [program = '', ...args], cwd, take, passedOver }: AgentToStart): AgentProcess {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  // An agent that is gone has an end of its own to tell.
  child.stdin.on('error', () => undefined);
  const drained = new Promise<void>((done) => child.stdout.once('close', done));
  const gone = new Promise<AgentEnd>((done) => {
    child.once('error', (error) => done({ exitCode: null, signal: null, error: error.message }));
    child.once('exit', (exitCode, signal) => done({ exitCode, signal, error: null }));
  });
  const ended = afterLastWords(gone, drained);
  const within = (ms: number) => Promise.race([ended.then(() => true), sleep(ms, false)]);
  return {
    ended,
    stream: {
      readable: messageStream((enqueue) =>
        readMessages(child.stdout, {
          message: (message) => {
            // What it is the protocol's reader checks.
            if (!take(message)) enqueue(message as unknown as AnyMessage);
          },
          passedOver,
        }),
      ),
      writable: new WritableStream<AnyMessage>({
        write: async (message) => {
          if (!child.stdin.write(`${JSON.stringify(message)}\n`))
            await Promise.race([once(child.stdin, 'drain'), ended]);
        },
      }),
    },
    terminate: () => void child.kill('SIGTERM'),
    close: async () => {
      child.stdin.end();
      if (await within(LEAVE_MS)) return;
      child.kill('SIGTERM');
      if (await within(TERM_MS)) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What `read` gives, until it is done. A reader that wants no more closes the stream from its side, and whoever writes then would throw. */
function messageStream(read: (enqueue: (message: AnyMessage) => void) => Promise<void>): ReadableStream<AnyMessage> {
  let isWanted = true;
  return new ReadableStream<AnyMessage>({
    start: (controller) => {
      const ifWanted = (act: () => void) => {
        if (isWanted) act();
      };
      read((message) => ifWanted(() => controller.enqueue(message))).then(
        () => ifWanted(() => controller.close()),
        (error: unknown) => ifWanted(() => controller.error(error)),
      );
    },
    cancel: () => {
      isWanted = false;
    },
  });
}

async function afterLastWords(gone: Promise<AgentEnd>, drained: Promise<void>): Promise<AgentEnd> {
  const end = await gone;
  await Promise.race([drained, sleep(DRAIN_MS)]);
  return end;
}

async function readMessages(
  stdout: AsyncIterable<Buffer>,
  to: { readonly message: (message: JsonEvent) => void; readonly passedOver: AgentToStart['passedOver'] },
): Promise<void> {
  const line = new OpenLine();
  const end = () => {
    const text = line.close();
    const message = text === null ? null : jsonObjectOf(text);
    if (message !== null) to.message(message);
    else if (text === null) to.passedOver('too_long');
    else if (text.trim() !== '') to.passedOver('no_json');
  };
  for await (const chunk of stdout) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      line.add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (!line.isEmpty) end();
}
