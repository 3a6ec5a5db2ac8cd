/** One worker's connection to the guard: requests in, replies and ends out. A connection that closes loses its reservations, never a running command. */
import type { Socket } from 'node:net';
import { messageOf } from '../../../config/system/error-code.js';
import { readLines, writeLine } from '../../../config/system/json-lines.js';
import { isRecord } from '../../../protocol/text/json.js';
import { type ExitRecord, StartRefused, type StopReason } from '../contract.js';
import { MAX_LINE_CHARS, PROTOCOL_VERSION, type Reply } from '../wire.js';
import { readSpec } from './check-spec.js';
import type { Command } from './command.js';
import type { Commands } from './commands.js';
import type { GuardLog } from './guard-log.js';

export interface ServedGuard {
  readonly commands: Commands;
  readonly log: GuardLog;
  readonly version: number;
  isRetired(): boolean;
  /** Errors: those of the rename; the guard is then not retired. */
  retire(): Promise<void>;
}

export function serveConnection(socket: Socket, guard: ServedGuard): void {
  const attached = new Set<string>();
  const attach = (command: Command) => {
    const { token } = command.claim;
    if (!attached.has(token)) {
      attached.add(token);
      const tell = (exit: ExitRecord | null) => {
        attached.delete(token);
        writeLine(socket, { event: 'ended', token, exit });
      };
      // An end that could not be read or written is told like one that nobody knows: whoever waits looks again.
      void command.ended.catch(() => null).then(tell);
    }
  };
  socket.on('error', () => {});
  socket.on('close', () => guard.commands.drop(socket));
  readLines(socket, MAX_LINE_CHARS, (request) => {
    void handle(request, guard, socket)
      .catch((error: unknown): Reply => failureReply(error, guard))
      .then((reply) => {
        if (reply.kind === 'reserved' && socket.destroyed) guard.commands.drop(socket);
        writeLine(socket, { id: request.id ?? null, ...reply });
        const command = reply.kind === 'running' ? guard.commands.get(tokenOf(request)) : null;
        if (command !== null) {
          attach(command);
        } else if (reply.kind === 'running') {
          // It ended between the answer and here: ask again.
          writeLine(socket, { event: 'ended', token: tokenOf(request), exit: null });
        }
      });
  });
}

async function handle(request: Record<string, unknown>, guard: ServedGuard, owner: Socket): Promise<Reply> {
  const { commands } = guard;
  switch (request.op) {
    case 'hello':
      return { kind: 'hello', version: guard.version, pid: process.pid };
    case 'ask':
      return commands.get(tokenOf(request)) === null ? { kind: 'unknown' } : { kind: 'running', movedAside: false };
    case 'stop': {
      const reason: StopReason = request.reason === 'interrupted' ? 'interrupted' : 'aborted';
      if (typeof request.group === 'string') {
        await commands.endGroup(
          request.group,
          typeof request.exceptBase === 'string' ? request.exceptBase : null,
          reason,
        );
      } else {
        await commands.end(tokenOf(request), reason);
      }
      return { kind: 'done' };
    }
    case 'retire':
      await guard.retire();
      return { kind: 'done' };
    case 'start':
      return guard.isRetired()
        ? { kind: 'retired' }
        : commands.reserve(readSpec(request.spec), { owner, again: request.again === true });
    case 'go':
      return commands.go(tokenOf(request), owner);
    case 'drop':
      commands.drop(owner, tokenOf(request));
      return { kind: 'done' };
    case 'live':
      return { kind: 'live', commands: commands.live() };
    default:
      return { kind: 'failed', message: `The guard (protocol ${PROTOCOL_VERSION}) does not know this request.` };
  }
}

function failureReply(error: unknown, guard: ServedGuard): Reply {
  if (error instanceof StartRefused) return { kind: 'refused', code: error.code, message: error.message };
  guard.log('a request failed', { message: error instanceof Error ? error.message : 'unknown' });
  return { kind: 'failed', message: messageOf(error) };
}

function tokenOf(request: Record<string, unknown>): string {
  if (typeof request.token === 'string') return request.token;
  return isRecord(request.spec) && typeof request.spec.token === 'string' ? request.spec.token : '';
}
