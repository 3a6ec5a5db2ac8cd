/** What an event of OpenCode says to whoever watches. It tells of a tool when that is done. */
import type { Glance } from '../../contract.js';
import { at, textAt } from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';

export function glanceAtOpencode(event: JsonEvent): Glance | null {
  if (event['type'] === 'text' && at(event, 'part', 'synthetic') !== true)
    return { kind: 'said', text: textAt(event, 'part', 'text') ?? '' };
  if (event['type'] !== 'tool_use') return null;
  const on = textAt(event, 'part', 'state', 'title') ?? textAt(event, 'part', 'state', 'input', 'command') ?? '';
  return { kind: 'said', text: oneLine(`${textAt(event, 'part', 'tool') ?? 'tool'} ${on}`) };
}
