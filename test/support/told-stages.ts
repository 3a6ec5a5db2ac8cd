/** Events of a journal that tell of stages, each at a second after `START`. */
import type { JournalEvent } from '../../protocol/messages/journal.js';

export const START = '2026-11-21T10:00:00.000Z';

export function moved(from: string, to: string, second = 0): JournalEvent {
  return told('state.changed', { from, to, round: 0 }, second);
}

export function began(stage: string, second = 0): JournalEvent {
  return stage === 'validating' ? told('validation.started', {}, second) : told('turn.started', { stage }, second);
}

export function told(type: JournalEvent['type'], data: JournalEvent['data'], second = 0): JournalEvent {
  return { seq: 1, timestamp: new Date(Date.parse(START) + second * 1000).toISOString(), type, message: '', data };
}
