/** What a fake forge does wrong when a test says so, at which request and how often. */
import type { FakePull } from './forge-state.js';

export type Fault =
  /** HTTP 500 and nothing done. */
  | { readonly kind: 'error' }
  /** Done, and HTTP 502. */
  | { readonly kind: 'error_after' }
  /** Neither done nor answered. */
  | { readonly kind: 'hang' }
  /** Done, and the connection breaks. */
  | { readonly kind: 'dropped' }
  /** Done twice, as if on its way somebody had sent it again; the second answer comes. */
  | { readonly kind: 'twice' }
  /** The answer knows these alone, as they were. */
  | { readonly kind: 'stale'; readonly pulls: readonly FakePull[] }
  /** The answer knows nothing of what was pushed since each pull request was made. */
  | { readonly kind: 'behind' }
  /** A limit of requests. `graphql`: HTTP 200 with an error of that type. */
  | { readonly kind: 'limited'; readonly by: 'retry-after' | 'reset' | 'second' | 'graphql' }
  /** Nothing done. */
  | { readonly kind: 'status'; readonly status: number; readonly message: string }
  /** Somebody is faster. */
  | { readonly kind: 'before'; readonly act: () => void }
  /** Of `webhook`. */
  | { readonly kind: 'delivery'; readonly how: DeliveryFault };

/** `late`: after the next one. `replayed`: by somebody who saw it, under another id. */
export type DeliveryFault = 'lost' | 'doubled' | 'late' | 'forged' | 'huge' | 'replayed' | 'of_another_repository';

interface ArmedFault {
  readonly request: string;
  readonly fault: Fault;
  left: number;
}

/** What was asked, and, in a second entry, that its effect is done. */
export interface LogEntry {
  readonly request: string;
  readonly at: 'came' | 'done';
  readonly status: number | null;
}

export class Faults {
  readonly log: LogEntry[] = [];
  private armed: ArmedFault[] = [];

  /** `request`: a GraphQL operation by its name, `webhook`, or such as `POST pulls`, `GET git`. */
  arm(request: string, fault: Fault, times = 1): void {
    this.armed.push({ request, fault, left: times });
  }

  take(request: string): Fault | null {
    const found = this.armed.find((one) => one.request === request && one.left > 0);
    if (found === undefined) return null;
    found.left -= 1;
    return found.fault;
  }

  /** How often the effect of a request was done. */
  done(request: string): number {
    return this.log.filter((entry) => entry.request === request && entry.at === 'done').length;
  }

  came(request: string): number {
    return this.log.filter((entry) => entry.request === request && entry.at === 'came').length;
  }
}
