/** Adapter for Claude Code (`claude -p`): prompt on stdin, JSON events on stdout, a conversation that a later turn can go on with. */
import { meaningOf, outcomeOfCli } from '../../cli-turn.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest, TurnUsage } from '../../contract.js';
import { readJsonLines } from '../../events/read-json-lines.js';
import { loginCommand } from '../../login-variables.js';
import { readLastLines } from '../../read-plain-turn.js';
import { addedSince, latestOf, NO_USAGE, sumOf } from '../../usage-delta.js';
import { claudeCommand } from './claude-command.js';
import { ClaudeEvents, type ClaudeSaid } from './claude-events.js';
import { CLAUDE_TABLE } from './claude-outcome.js';

export const claudeAdapter: AgentAdapter = {
  adapter: 'claude-code',
  capabilities: { resume: true, structured: false, permissions: true },
  command: claudeCommand,
  read: readClaudeTurn,
};

async function readClaudeTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new ClaudeEvents();
  const counts = await readJsonLines(exit.stdout, (event) => events.take(event));
  const stderr = await readLastLines(exit.stderr);
  const { said } = events;
  const meaning = meaningOf(CLAUDE_TABLE, { ...said, stderr });
  const before = turn.resume?.totals ?? NO_USAGE;
  const isWhole = tellsConversation(said, before);
  return {
    outcome: outcomeOfCli({ turn, exit, meaning, counts, stderr, login: loginCommand(turn.config) }),
    text: said.text,
    usage: isWhole ? addedSince(before, said.told) : said.told,
    conversation:
      events.conversation === null
        ? null
        : { id: events.conversation, totals: isWhole ? latestOf(before, said.told) : sumOf(before, said.told) },
    denied: said.denied,
  };
}

/**
 * Versions up to 2.1.197 tell this turn, 2.1.329 tells the whole conversation. Which of the two it is shows in the input of this turn's own
 * messages: the figure that is nearer to them.
 */
function tellsConversation({ told, streamedIn }: ClaudeSaid, before: TurnUsage): boolean {
  const wholeIn = told.tokensIn ?? 0;
  const addedIn = wholeIn - (before.tokensIn ?? 0);
  return Math.abs(addedIn - streamedIn) <= Math.abs(wholeIn - streamedIn);
}
