/** Adapter for OpenCode (`opencode run`): prompt on stdin, JSON events on stdout, a conversation that a later turn can go on with. */
import { meaningOf, outcomeOfCli } from '../../cli-turn.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readJsonLines } from '../../events/read-json-lines.js';
import { loginCommand } from '../../login-variables.js';
import { readLastLines } from '../../read-plain-turn.js';
import { NO_USAGE, sumOf } from '../../usage-delta.js';
import { opencodeCommand } from './opencode-command.js';
import { OpencodeEvents } from './opencode-events.js';
import { OPENCODE_TABLE } from './opencode-outcome.js';

export const opencodeAdapter: AgentAdapter = {
  adapter: 'opencode',
  capabilities: { resume: true, structured: false, permissions: true },
  command: opencodeCommand,
  read: readOpencodeTurn,
};

async function readOpencodeTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new OpencodeEvents();
  const counts = await readJsonLines(exit.stdout, (event) => events.take(event));
  const stderr = await readLastLines(exit.stderr);
  const { said } = events;
  const meaning = meaningOf(OPENCODE_TABLE, { ...said, stderr });
  return {
    outcome: outcomeOfCli({ turn, exit, meaning, counts, stderr, login: loginCommand(turn.config) }),
    text: events.text,
    usage: said.usage,
    conversation:
      events.conversation === null ? null : { id: events.conversation, totals: sumOf(turn.resume?.totals ?? NO_USAGE, said.usage) },
    denied: said.denied,
  };
}
