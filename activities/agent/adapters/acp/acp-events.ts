/**
 * What a turn of an ACP agent said, from the events of our client (client-turn.ts). The texts in them are the agent's, and untrusted. Nothing is decided here.
 * The answer is the last text: what stands before a tool call is said on the way.
 */

import type { PermissionOption, PermissionRequest } from '../../../../protocol/run/outcomes.js';
import { redact } from '../../../../protocol/text/redact.js';
import { cut } from '../../answer/block-entries.js';
import type { TurnUsage } from '../../contract.js';
import {
  at,
  conversationIdAt,
  countAt,
  listAt,
  microUsdAt,
  ToldConversation,
  textAt,
} from '../../events/event-fields.js';
import { GrowingText } from '../../events/growing-text.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import { highestOf, NO_USAGE } from '../../outcome/usage-delta.js';

/** An error that the agent answered. */
export interface AcpError {
  /** The request, such as `session/new`. */
  readonly during: string;
  readonly code: number | null;
  readonly errorKind: string;
  /** What it says of it, each one line. */
  readonly lines: readonly string[];
}

export interface AcpSaid {
  /** Its stop reason; null: none came. */
  end: string | null;
  error: AcpError | null;
  /** What it asked a person. */
  asked: { readonly question: string; readonly request: PermissionRequest } | null;
  /** Tokens of this turn; cost over the conversation, or of this turn where `costsAnew`. */
  told: TurnUsage;
  denied: number;
  costsAnew: boolean;
}

/** More make no question that a person reads. */
const MAX_OPTIONS = 8;

/** All of them fit into the answer of a turn. */
const MAX_OPTION_CHARS = { id: 60, name: 120, kind: 30 } as const;

export class AcpEvents {
  readonly said: AcpSaid = {
    end: null,
    error: null,
    asked: null,
    told: NO_USAGE,
    denied: 0,
    costsAnew: false,
  };

  private readonly told = new ToldConversation();
  private readonly last = new GrowingText();
  private isNewText = true;

  /** Empty: it said nothing. */
  get text(): string {
    return this.last.text;
  }

  get conversation(): string | null {
    return this.told.id;
  }

  take(event: JsonEvent): void {
    const { said } = this;
    switch (event['type']) {
      case 'agent':
        said.costsAnew = event['costsAnew'] === true;
        break;
      case 'session':
        this.told.take(conversationIdAt(event, 'id'));
        break;
      case 'text':
        this.takeText(textAt(event, 'text') ?? '');
        break;
      case 'tool':
        this.isNewText = true;
        break;
      case 'cost':
        if (textAt(event, 'currency') === 'USD')
          said.told = highestOf(said.told, { ...NO_USAGE, costMicroUsd: microUsdAt(event, 'amount') });
        break;
      case 'permission':
        if (event['ruling'] === 'refused') said.denied += 1;
        break;
      case 'asked':
        // Who asks once its turn has ended has ended it all the same.
        if (said.end === null) said.asked ??= askedOf(event);
        break;
      case 'error':
        said.error ??= errorOf(event);
        break;
      case 'end':
        said.end = textAt(event, 'reason');
        said.told = { ...said.told, ...tokensOf(at(event, 'usage')) };
        break;
    }
  }

  private takeText(text: string): void {
    if (this.isNewText && text.trim() === '') return;
    if (this.isNewText) this.last.clear();
    this.last.add(text);
    this.isNewText = false;
  }
}

function askedOf(event: JsonEvent): AcpSaid['asked'] {
  const options = listAt(event, 'options').slice(0, MAX_OPTIONS).map(optionOf);
  const kind = oneLine(textAt(event, 'kind')) || 'do';
  return {
    question: `may it ${kind}: ${oneLine(textAt(event, 'title'))}`,
    request: { key: textAt(event, 'key') ?? '', options },
  };
}

/** It travels in histories and stands in a gate. */
function optionOf(option: unknown): PermissionOption {
  const field = (name: keyof PermissionOption) => cut(redact(oneLine(textAt(option, name))), MAX_OPTION_CHARS[name]);
  return { id: field('id'), name: field('name'), kind: field('kind') };
}

function errorOf(event: JsonEvent): AcpError {
  const message = oneLine(textAt(event, 'message'));
  // What the protocol puts before the agent's own words.
  const bare = message.replace(/^Internal error(?:: |$)/, '');
  const code = at(event, 'code');
  return {
    during: oneLine(textAt(event, 'during')),
    code: typeof code === 'number' ? code : null,
    errorKind: textAt(event, 'errorKind') ?? '',
    lines: [bare, oneLine(textAt(event, 'details'))].filter((line) => line !== ''),
  };
}

/** Agents count the cache in or beside the input; the total has both. */
function tokensOf(usage: unknown): Pick<TurnUsage, 'tokensIn' | 'tokensOut'> {
  const amount = (...names: readonly string[]) => {
    for (const name of names) {
      const value = countAt(usage, name);
      if (value !== null) return value;
    }
    return null;
  };
  const tokensOut = amount('outputTokens', 'output_tokens');
  const input = amount('inputTokens', 'input_tokens');
  const total = amount('totalTokens', 'total_tokens');
  const tokensIn = total !== null && tokensOut !== null && total >= tokensOut ? total - tokensOut : input;
  return { tokensIn, tokensOut };
}
