/**
 * What a turn of Codex said, from its JSON events (`codex exec --json`). Events may come in any order, be torn or unknown. Nothing is decided
 * here. An `error` event may be one of several tries, and an item of the type `error` a mere warning: the end of the turn tells.
 */
import type { TurnUsage } from '../../contract.js';
import { boundText, conversationIdAt, countAt, listAt, ToldConversation, textAt } from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import { highestOf, NO_USAGE } from '../../outcome/usage-delta.js';

export interface CodexSaid {
  /** The last end of a turn that it told; null: none. */
  end: 'completed' | 'failed' | null;
  /** One line: why it failed, or the last trouble. Null: nothing. */
  trouble: string | null;
  /** The last message. */
  text: string;
  /** Over the whole conversation. */
  told: TurnUsage;
  denied: number;
  /** What it asked a person, where it ended so. */
  question: string | null;
}

export class CodexEvents {
  readonly said: CodexSaid = { end: null, trouble: null, text: '', told: NO_USAGE, denied: 0, question: null };

  private readonly told = new ToldConversation();

  get conversation(): string | null {
    return this.told.id;
  }

  take(event: JsonEvent): void {
    const { said } = this;
    switch (event['type']) {
      case 'thread.started':
        this.told.take(conversationIdAt(event, 'thread_id'));
        break;
      case 'turn.completed':
        said.end = 'completed';
        said.told = highestOf(said.told, {
          tokensIn: countAt(event, 'usage', 'input_tokens'),
          tokensOut: countAt(event, 'usage', 'output_tokens'),
          costMicroUsd: null,
        });
        break;
      case 'turn.failed':
        said.end = 'failed';
        said.trouble = oneLine(textAt(event, 'error', 'message'));
        break;
      case 'error':
        said.trouble = oneLine(textAt(event, 'message'));
        break;
      case 'request_user_input':
        said.question =
          oneLine(
            listAt(event, 'questions')
              .map((question) => textAt(question, 'question'))
              .join(' '),
          ) || 'something';
        break;
      case 'item.completed':
        this.takeItem(event);
        break;
    }
  }

  private takeItem(event: JsonEvent): void {
    const { said } = this;
    const text = textAt(event, 'item', 'text');
    if (textAt(event, 'item', 'type') === 'agent_message' && text !== null && text.trim() !== '')
      said.text = boundText(text);
    if (textAt(event, 'item', 'status') === 'declined') said.denied += 1;
  }
}
