/**
 * Adapter for a model that is asked without a CLI, for stages that only decide or write text. It sees nothing but its prompt. What is run is a program
 * of our own beside this file, so that the guard owns the call like any agent: docs/decisions/0016-models-are-asked-by-a-program.md.
 */
import { entryFile } from '../../../../config/system/entries.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readCli } from '../../events/cli-turn.js';
import { textAt } from '../../events/event-fields.js';
import { renderDecidedText } from './decided-text.js';
import { type ModelEntry, modelCommand, modelLogin } from './model-command.js';
import { ModelEvents } from './model-events.js';
import { MODEL_TABLE } from './model-outcome.js';

/** The program of the build is not there where the sources run uncompiled: give another entry. */
export function createModelAdapter(entry: ModelEntry = [entryFile('model')]): AgentAdapter {
  return {
    capabilities: { resume: false, promptOnly: true },
    command: (turn) => modelCommand(turn, entry),
    glance: (event) => (event['type'] === 'text' ? { kind: 'piece', text: textAt(event, 'text') ?? '' } : null),
    read: readModelTurn,
  };
}

async function readModelTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new ModelEvents();
  const { outcome } = await readCli(turn, exit, { events, table: MODEL_TABLE, login: modelLogin(turn) });
  return {
    outcome,
    // What is no answer of the schema is read as any text.
    text: renderDecidedText(turn, events.text) ?? events.text,
    usage: events.said.usage,
    conversation: null,
    denied: 0,
  };
}
