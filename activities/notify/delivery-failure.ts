/** A delivery that did not happen. Messages name the program or the host of an address, never the whole address: its path may be a secret. */
import { ApplicationFailure } from '@temporalio/common';
import { DELIVERY_FAILED } from '../../protocol/messages/notification.js';

/** What came of one attempt. `later`: another attempt may succeed. */
export type Delivery =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly why: string; readonly later: boolean };

export function failed(why: string, { later }: { readonly later: boolean }): Delivery {
  return { kind: 'failed', why, later };
}

export function deliveryFailure(message: string, later: boolean): ApplicationFailure {
  return ApplicationFailure.create({ message, type: DELIVERY_FAILED, nonRetryable: !later });
}
