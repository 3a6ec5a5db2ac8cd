/**
 * What a turn of a model said, from the JSON events of our own program (main.ts). It is read like that of any CLI: a line may be torn or somebody
 * else's. Nothing is decided here.
 */
import type { TurnUsage } from '../../contract.js';
import { amountAt, countAt, textAt } from '../../events/event-fields.js';
import { GrowingText } from '../../events/growing-text.js';
import type { JsonEvent } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import { highestOf, NO_USAGE } from '../../outcome/usage-delta.js';

export interface ModelError {
  /** One line. */
  readonly said: string;
  /** HTTP. Null: there was no answer, or it came in the stream. */
  readonly status: number | null;
  /** As the provider names it, such as `insufficient_quota`; or a code of the network, such as `ECONNRESET`; or `no_key`. */
  readonly code: string;
  readonly afterMs: number | null;
}

export interface ModelSaid {
  error: ModelError | null;
  /** Why the answer ended: `stop`, `length`, `content-filter`, `tool-calls`, `error`, `other`. */
  finish: string | null;
  /** The same in the provider's own word. */
  ending: string;
  usage: TurnUsage;
}

export class ModelEvents {
  readonly said: ModelSaid = { error: null, finish: null, ending: '', usage: NO_USAGE };

  private readonly answer = new GrowingText();

  get text(): string {
    return this.answer.text;
  }

  take(event: JsonEvent): void {
    const { said } = this;
    switch (event['type']) {
      case 'text':
        this.answer.add(textAt(event, 'text') ?? '');
        break;
      case 'end':
        said.finish = textAt(event, 'finish');
        said.ending = textAt(event, 'ending') ?? '';
        said.usage = highestOf(said.usage, usageOf(event));
        break;
      case 'error':
        said.error = {
          said: oneLine(textAt(event, 'said')),
          status: amountAt(event, 'status'),
          code: textAt(event, 'code') ?? '',
          afterMs: amountAt(event, 'afterMs'),
        };
        said.usage = highestOf(said.usage, usageOf(event));
        break;
    }
  }
}

function usageOf(event: JsonEvent): TurnUsage {
  return {
    tokensIn: countAt(event, 'usage', 'tokensIn'),
    tokensOut: countAt(event, 'usage', 'tokensOut'),
    costMicroUsd: countAt(event, 'usage', 'costMicroUsd'),
  };
}
