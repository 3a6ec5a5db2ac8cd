/**
 * One journal event as one plain line: what a pipe shows while a run is watched, and what `sluice logs` prints.
 * Pure. The line holds foreign text (names, reasons), so the caller makes it printable.
 */

import type {
  GitCommittedData,
  TurnStartedData,
  ValidationStartedData,
} from '../../../protocol/messages/event-data.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { JsonObject } from '../../../protocol/text/json.js';
import { agentLabel } from '../../views/agent-label.js';
import { clockOf } from '../../views/local-time.js';
import type { Io } from './io.js';
import { timeText } from './time-text.js';

export function plainLine(event: JournalEvent, io: Pick<Io, 'outIsTerminal'>): string {
  return `${timeText(event.timestamp, io, clockOf)} ${sentenceOf(event)}`;
}

/** Whether it only says what the start of a turn or of checks, a gate, a pause or the end says too. */
export function isTwiceTold({ type }: JournalEvent): boolean {
  return type === 'state.changed';
}

/** The same without the clock. */
export function sentenceOf(event: JournalEvent): string {
  const { data, message } = event;
  switch (event.type) {
    case 'state.changed':
      return `status ${message}`;
    case 'turn.started': {
      const started: Partial<TurnStartedData> = data;
      if (typeof started.stage !== 'string') return message;
      const { agent, adapter } = started;
      return `${started.stage} started${typeof agent === 'string' ? ` (agent ${agentLabel({ name: agent, adapter: String(adapter) })})` : ''}`;
    }
    case 'worktree.setup.completed':
      return `set-up: ${message}`;
    case 'git.committed': {
      const { files, added, deleted }: Partial<GitCommittedData> = data;
      if (typeof files !== 'number') return message;
      return `committed ${files === 1 ? '1 file' : `${files} files`}, +${added} −${deleted}`;
    }
    case 'validation.started': {
      const { commands, commit }: Partial<ValidationStartedData> = data;
      if (typeof commands !== 'number' || typeof commit !== 'string') return message;
      return `checks started: ${commands === 1 ? '1 command' : `${commands} commands`} on ${commit.slice(0, 12)}`;
    }
    case 'review.decision':
    case 'verification.decision':
      return `${event.type.replace('.', ' ')} ${textOf(data, 'value') ?? ''}: ${message}`;
    default:
      return message === '' ? event.type : message;
  }
}

function textOf(data: JsonObject, key: string): string | null {
  const value = data[key];
  return typeof value === 'string' && value !== '' ? value : null;
}
