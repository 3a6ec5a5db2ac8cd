/**
 * What a turn of Claude Code said, from its stream of JSON events (`--output-format stream-json`). Events may come in any order, be
 * torn or unknown: what is missing stays null. Nothing is decided here; claude-outcome.ts does that.
 */
import { isRecord } from '../../../../protocol/text/json.js';
import type { TurnUsage } from '../../contract.js';
import {
  amountAt,
  at,
  boundText,
  conversationIdAt,
  countAt,
  listAt,
  microUsdAt,
  ToldConversation,
  textAt,
} from '../../events/event-fields.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import { highestOf, NO_USAGE, sumOf, totalOf } from '../../outcome/usage-delta.js';

export interface ClaudeResult {
  readonly isError: boolean;
  /** `success` also where the API failed: never enough alone. */
  readonly subtype: string | null;
  /** HTTP status of the failed call. */
  readonly apiStatus: number | null;
  readonly stopReason: string | null;
  /** One line. */
  readonly said: string;
}

export interface ClaudeSaid {
  result: ClaudeResult | null;
  /** The final answer, else the last message. */
  text: string;
  /** The CLI's word for what failed, such as `rate_limit`; of a message that the CLI wrote itself. */
  errorCode: string | null;
  /** The plan's limit is used up. Unit: ms since 1970. */
  limit: { readonly untilMs: number | null } | null;
  /** The last failed call that was to be tried again, where nothing came after it. */
  retry: { readonly status: number | null; readonly delayMs: number | null } | null;
  /** As the result tells: of this turn, or of the whole conversation. */
  told: TurnUsage;
  /** Input of this turn's own calls, from its messages. */
  streamedIn: number;
  denied: number;
}

export class ClaudeEvents {
  readonly said: ClaudeSaid = {
    result: null,
    text: '',
    errorCode: null,
    limit: null,
    retry: null,
    told: NO_USAGE,
    streamedIn: 0,
    denied: 0,
  };

  private readonly told = new ToldConversation();

  /** One message comes as several events with the same usage. */
  private lastMessage: string | null = null;

  get conversation(): string | null {
    return this.told.id;
  }

  take(event: JsonEvent): void {
    const { said } = this;
    this.told.take(conversationIdAt(event, 'session_id'));
    switch (event['type']) {
      case 'assistant':
        this.takeMessage(event);
        break;
      case 'rate_limit_event':
        this.takeLimit(event);
        break;
      case 'system':
        if (event['subtype'] === 'api_retry') this.takeRetry(event);
        break;
      case 'user':
        said.denied += listAt(event, 'message', 'content').filter(isTakenAway).length;
        break;
      case 'result':
        this.takeResult(event);
        break;
    }
  }

  private takeMessage(event: JsonEvent): void {
    const { said } = this;
    said.errorCode = textAt(event, 'error');
    // A message of the CLI's own tells how the retries ended; one of the model was served.
    if (textAt(event, 'message', 'model') !== '<synthetic>' && said.errorCode === null) {
      said.retry = null;
      said.limit = null;
    }
    const id = textAt(event, 'message', 'id');
    if (id === null || id !== this.lastMessage)
      said.streamedIn = totalOf([said.streamedIn, inputOf(at(event, 'message', 'usage'))]) ?? 0;
    this.lastMessage = id;
    // A message of a subagent is an answer to the agent, not to us.
    if (at(event, 'parent_tool_use_id') !== null && at(event, 'parent_tool_use_id') !== undefined) return;
    const text = listAt(event, 'message', 'content')
      .flatMap((part) => (textAt(part, 'type') === 'text' ? [textAt(part, 'text') ?? ''] : []))
      .join('\n');
    if (text.trim() !== '') said.text = boundText(text);
  }

  private takeRetry(event: JsonEvent): void {
    const delay = amountAt(event, 'retry_delay_ms');
    this.said.retry = { status: amountAt(event, 'error_status'), delayMs: delay === null ? null : Math.ceil(delay) };
  }

  private takeLimit(event: JsonEvent): void {
    // Extra usage is served, and the limit that is over is told beside it.
    const isServed = at(event, 'rate_limit_info', 'isUsingOverage') === true;
    if (textAt(event, 'rate_limit_info', 'status') !== 'rejected' || isServed) {
      this.said.limit = null;
      return;
    }
    const seconds = amountAt(event, 'rate_limit_info', 'resetsAt');
    this.said.limit = { untilMs: seconds === null ? null : seconds * 1000 };
  }

  private takeResult(event: JsonEvent): void {
    const { said } = this;
    const text = textAt(event, 'result');
    const errors = listAt(event, 'errors').filter((error) => typeof error === 'string');
    said.result = {
      isError: event['is_error'] !== false,
      subtype: textAt(event, 'subtype'),
      apiStatus: amountAt(event, 'api_error_status'),
      stopReason: textAt(event, 'stop_reason'),
      said: oneLine(errors.length > 0 ? errors.join('; ') : text),
    };
    if (text !== null && text.trim() !== '') said.text = boundText(text);
    said.told = highestOf(said.told, usageOf(event));
    said.denied += listAt(event, 'permission_denials').length;
  }
}

/** A call of a tool that the turn's level took away is no denial of a permission, and is refused all the same. */
function isTakenAway(part: unknown): boolean {
  const said = textAt(part, 'type') === 'tool_result' ? (textAt(part, 'content') ?? '') : '';
  return said.startsWith('<tool_use_error>Error: No such tool available');
}

/** Per model where that is told: `usage` leaves out what side calls and subagents used. */
function usageOf(event: JsonEvent): TurnUsage {
  const told = at(event, 'modelUsage');
  const models = isRecord(told) ? Object.values(told) : [];
  const perModel = models.reduce<TurnUsage>(
    (sum, model) =>
      sumOf(sum, {
        tokensIn: added(model, ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']),
        tokensOut: countAt(model, 'outputTokens'),
        costMicroUsd: null,
      }),
    NO_USAGE,
  );
  const usage = at(event, 'usage');
  return {
    tokensIn: perModel.tokensIn ?? added(usage, USAGE_INPUT),
    tokensOut: perModel.tokensOut ?? countAt(usage, 'output_tokens'),
    costMicroUsd: microUsdAt(event, 'total_cost_usd'),
  };
}

const USAGE_INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

function inputOf(usage: unknown): number {
  return added(usage, USAGE_INPUT) ?? 0;
}

/** Null: none of them is told. */
function added(value: unknown, names: readonly string[]): number | null {
  return totalOf(names.map((name) => countAt(value, name)));
}
