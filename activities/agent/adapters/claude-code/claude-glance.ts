/** What an event of Claude Code says to whoever watches. */
import type { Glance } from '../../contract.js';
import { listAt, textAt } from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';

export function glanceAtClaude(event: JsonEvent): Glance | null {
  const content = listAt(event, 'message', 'content');
  const is = (type: string) => (part: unknown) => textAt(part, 'type') === type;
  if (event['type'] === 'user') return content.some(is('tool_result')) ? { kind: 'command_ended' } : null;
  if (event['type'] !== 'assistant') return null;
  // One message comes as several events, each with one part.
  const tool = content.findLast(is('tool_use'));
  if (tool !== undefined) return glanceAtTool(tool);
  const text = content.filter(is('text')).map((part) => textAt(part, 'text') ?? '');
  return text.length === 0 ? null : { kind: 'said', text: text.join('\n') };
}

function glanceAtTool(tool: unknown): Glance {
  const command = textAt(tool, 'input', 'command');
  if (command !== null) return { kind: 'command', command: oneLine(command) };
  const on = textAt(tool, 'input', 'file_path') ?? textAt(tool, 'input', 'pattern') ?? '';
  return { kind: 'said', text: oneLine(`${textAt(tool, 'name') ?? 'tool'} ${on}`) };
}
