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
  /** From the first such answer on they are of as long ago, for as long. Unit: ms. */
  | { readonly kind: 'of_before'; readonly ms: number }
  /** A limit of requests. `graphql`: HTTP 200 with an error of that type. */
  | { readonly kind: 'limited'; readonly by: 'retry-after' | 'reset' | 'second' | 'graphql' }
  /** Nothing done; `act`: by somebody else, for which reason it is refused. */
  | { readonly kind: 'status'; readonly status: number; readonly message: string; readonly act?: () => void }
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
  /** So many pass first. */
  after: number;
  since: number | null;
}

/** What was asked, and, in a second entry, that its effect is done. */
export interface LogEntry {
  readonly request: string;
  readonly at: 'came' | 'done';
  readonly status: number | null;
  /** Of REST the path below the repository, of GraphQL the pull request's id; null: of git. */
  readonly about: string | null;
}

export class Faults {
  log: LogEntry[] = [];
  private armed: ArmedFault[] = [];

  /** `request`: a GraphQL operation by its name, `webhook`, or such as `POST pulls`, `GET git`. */
  arm(request: string, fault: Fault, times = 1, after = 0): void {
    this.armed.push({ request, fault, left: times, after, since: null });
  }

  take(request: string): Fault | null {
    const found = this.armed.find((one) => one.request === request && one.left > 0);
    if (found === undefined) return null;
    const { fault } = found;
    if (found.since === null && found.after > 0) {
      found.after -= 1;
      return null;
    }
    found.since ??= Date.now();
    if (fault.kind !== 'of_before') found.left -= 1;
    else if (Date.now() - found.since > fault.ms) found.left = 0;
    return fault.kind === 'of_before' && found.left === 0 ? null : fault;
  }

  /** Whether each that was armed has come to pass. */
  haveFired(): boolean {
    return this.armed.every(({ since }) => since !== null);
  }

  /** Whether somebody was told what was no more. */
  wereBehind(): boolean {
    return this.armed.some(({ fault, since }) => fault.kind === 'behind' && since !== null);
  }

  forget(): void {
    this.armed = [];
    this.log = [];
  }

  /** How often the effect of a request was done. */
  done(request: string): number {
    return this.log.filter((entry) => entry.request === request && entry.at === 'done').length;
  }

  came(request: string): number {
    return this.log.filter((entry) => entry.request === request && entry.at === 'came').length;
  }
}
