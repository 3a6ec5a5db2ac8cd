/**
 * What a turn of OpenCode said, from its JSON events (`opencode run --format json`). Events may come in any order, be torn or unknown.
 * Nothing is decided here. It has no final event of its own in every version: the last step's reason tells whether it had finished.
 */
import type { TurnUsage } from '../../contract.js';
import {
  amountAt,
  at,
  conversationIdAt,
  countAt,
  microUsdAt,
  ToldConversation,
  textAt,
} from '../../events/event-fields.js';
import { GrowingText } from '../../events/growing-text.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import { NO_USAGE, sumOf, totalOf } from '../../outcome/usage-delta.js';

export interface OpencodeError {
  /** Its class, such as `ContextOverflowError`. */
  readonly name: string;
  /** One line. */
  readonly said: string;
  readonly status: number | null;
  readonly isRetryable: boolean;
  readonly afterMs: number | null;
}

export interface OpencodeSaid {
  /** The first: a later one is only its echo. */
  error: OpencodeError | null;
  /** Why the last step ended: `stop`, `tool-calls`, `length`. */
  reason: string | null;
  /** Its last step told of nothing that the model wrote. */
  isBroken: boolean;
  /** Its steps, added up: of this turn alone. */
  usage: TurnUsage;
  denied: number;
}

export class OpencodeEvents {
  readonly said: OpencodeSaid = { error: null, reason: null, isBroken: false, usage: NO_USAGE, denied: 0 };

  private readonly told = new ToldConversation();
  private readonly last = new GrowingText();
  private isNewStep = true;

  /** The texts of the last step that had one; empty: none had. */
  get text(): string {
    return this.last.text;
  }

  get conversation(): string | null {
    return this.told.id;
  }

  take(event: JsonEvent): void {
    const { said } = this;
    this.told.take(conversationIdAt(event, 'sessionID'));
    switch (event['type']) {
      case 'step_start':
        this.isNewStep = true;
        said.reason = null;
        break;
      case 'text':
        // What the CLI itself puts in is no answer.
        if (at(event, 'part', 'synthetic') !== true) this.takeText(textAt(event, 'part', 'text') ?? '');
        break;
      case 'step_finish':
        said.reason = textAt(event, 'part', 'reason');
        said.isBroken = (usageOf(event).tokensOut ?? 0) === 0;
        said.usage = sumOf(said.usage, usageOf(event));
        break;
      case 'tool_use':
        if (isRefused(at(event, 'part'))) said.denied += 1;
        break;
      case 'error':
        said.error ??= errorOf(at(event, 'error'));
        break;
    }
  }

  private takeText(text: string): void {
    if (text.trim() === '') return;
    if (this.isNewStep) this.last.clear();
    this.last.add(this.last.isEmpty ? text : `\n${text}`);
    this.isNewStep = false;
  }
}

/** Source: packages/opencode/src/permission, the two errors of a refused call. */
const REFUSED = /^The user (?:rejected permission to use|has specified a rule which prevents)/;

/** A tool that its rules deny altogether is not there at all. */
function isRefused(part: unknown): boolean {
  if (textAt(part, 'tool') === 'invalid')
    return (textAt(part, 'state', 'input', 'error') ?? '').startsWith('Model tried to call unavailable tool');
  return textAt(part, 'state', 'status') === 'error' && REFUSED.test(textAt(part, 'state', 'error') ?? '');
}

function usageOf(event: JsonEvent): TurnUsage {
  const tokens = at(event, 'part', 'tokens');
  const amounts = (...paths: readonly (readonly string[])[]) => totalOf(paths.map((path) => countAt(tokens, ...path)));
  return {
    tokensIn: amounts(['input'], ['cache', 'read'], ['cache', 'write']),
    tokensOut: amounts(['output'], ['reasoning']),
    costMicroUsd: microUsdAt(event, 'part', 'cost'),
  };
}

function errorOf(error: unknown): OpencodeError {
  const seconds = Number(textAt(error, 'data', 'responseHeaders', 'retry-after') ?? Number.NaN);
  return {
    name: textAt(error, 'name') ?? 'error',
    said: oneLine(textAt(error, 'data', 'message') ?? textAt(error, 'message') ?? textAt(error, 'name')),
    status: amountAt(error, 'data', 'statusCode'),
    isRetryable: at(error, 'data', 'isRetryable') === true,
    afterMs: seconds > 0 && seconds <= MAX_AFTER_SECONDS ? Math.ceil(seconds * 1000) : null,
  };
}

/** Longer than a rate limit lasts. */
const MAX_AFTER_SECONDS = 24 * 60 * 60;
