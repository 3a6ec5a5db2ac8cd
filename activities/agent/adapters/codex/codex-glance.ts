/** What an event of Codex says to whoever watches. */
import type { Glance } from '../../contract.js';
import { textAt } from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';

export function glanceAtCodex(event: JsonEvent): Glance | null {
  const item = textAt(event, 'item', 'type');
  if (item === 'command_execution') {
    if (event['type'] === 'item.completed') return { kind: 'command_ended' };
    return { kind: 'command', command: oneLine(textAt(event, 'item', 'command')) };
  }
  const text = textAt(event, 'item', 'text');
  const isSaid = event['type'] === 'item.completed' && (item === 'agent_message' || item === 'reasoning');
  return isSaid && text !== null ? { kind: 'said', text } : null;
}
