/** Adds sluice's search attributes to a namespace. The local engine's server has them from its start; others may refuse, and sluice does without. */
import { SEARCH_ATTRIBUTES } from '../../../protocol/names.js';

/** What of a Temporal connection is needed; `Connection` and `NativeConnection` both fit. */
export interface OperatorConnection {
  readonly operatorService: {
    listSearchAttributes(request: {
      namespace: string;
    }): Promise<{ customAttributes?: Record<string, unknown> | null }>;
    addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>;
  };
}

/** temporal.api.enums.v1.IndexedValueType; a number, so that this file loads no SDK. */
const INDEXED_VALUE_TYPE_KEYWORD = 2;

/** True if the namespace has all of them now. Idempotency: adding one that is there is not asked for. */
export async function ensureSearchAttributes(connection: OperatorConnection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in (customAttributes ?? {})));
    if (missing.length === 0) return true;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    });
    return true;
  } catch {
    return false;
  }
}
