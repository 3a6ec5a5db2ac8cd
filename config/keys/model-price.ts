/**
 * What a call of a model costs, by a list of prices that comes with its package and is never fetched. A model that the list does not have has no
 * price, and a server of unknown provider has none either, whatever its models are called.
 */
import { createRequire } from 'node:module';
import type { AgentConfig } from '../../protocol/run/policy.js';

export type AskedModel = Required<Pick<AgentConfig, 'provider'>> &
  Pick<AgentConfig, 'baseUrl'> & { readonly model: string };

/** Unit: tokens. **Shape** `input` counts those read from and written to a cache too. */
export interface UsedTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

type Prices = typeof import('@pydantic/genai-prices');

let loaded: Prices | null = null;

/** The list is half a megabyte, and most starts of the engine need no price. */
function prices(): Prices {
  // A required module has no type; this is the one it declares.
  loaded ??= createRequire(import.meta.url)('@pydantic/genai-prices') as Prices;
  return loaded;
}

export function isPriced(asked: AskedModel): boolean {
  return costOf(asked, { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }) !== null;
}

/** Unit: integer micro-dollars. Null: no price is known. */
export function costOf(asked: AskedModel, { input, cacheRead, cacheWrite, output }: UsedTokens): number | null {
  const providerId = providerOf(asked);
  if (providerId === null) return null;
  const usage = {
    input_tokens: input,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    output_tokens: output,
  };
  const price = prices().calcPrice(usage, asked.model, { providerId });
  return price === null ? null : Math.round(price.total_price * 1_000_000);
}

/** The address of a compatible server tells whose prices hold; behind another address of a known provider its own do. */
function providerOf({ provider, baseUrl }: AskedModel): string | null {
  if (provider !== 'openai-compatible') return provider;
  return prices().findProvider({ providerApiUrl: baseUrl ?? '' })?.id ?? null;
}
