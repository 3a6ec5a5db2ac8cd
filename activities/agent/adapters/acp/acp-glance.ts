/** What an event of our ACP client says to whoever watches. */
import type { Glance } from '../../contract.js';
import { textAt } from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';

const DONE = ['completed', 'failed'];

export function glanceAtAcp(event: JsonEvent): Glance | null {
  if (event['type'] === 'text') return { kind: 'piece', text: textAt(event, 'text') ?? '' };
  if (event['type'] === 'tool_update' && DONE.includes(textAt(event, 'status') ?? '')) return { kind: 'command_ended' };
  if (event['type'] !== 'tool') return null;
  const title = oneLine(textAt(event, 'title')) || 'tool';
  return textAt(event, 'kind') === 'execute' ? { kind: 'command', command: title } : { kind: 'said', text: title };
}
