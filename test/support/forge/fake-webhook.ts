/** The web hook of a fake forge: deliveries as GitHub signs them, one after the other, and what goes wrong with them on their way. */
import { createHmac, randomUUID } from 'node:crypto';
import type { DeliveryFault, Faults } from './faults.js';
import type { FakePull, ForgeState } from './forge-state.js';

export interface FakePayload {
  readonly repository: { readonly full_name: string };
  readonly [field: string]: unknown;
}

interface Delivery {
  readonly event: string;
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

export class FakeWebhook {
  /** Of each that was answered, in their order; null: the connection broke. */
  readonly statuses: (number | null)[] = [];
  private late: readonly Delivery[] = [];
  private sent: Promise<void> = Promise.resolve();

  constructor(
    private readonly to: { readonly url: string; readonly secret: string },
    private readonly faults: Faults,
  ) {}

  /** Resolves once it is answered, and all before it. */
  tell(event: string, payload: FakePayload): Promise<void> {
    const fault = this.faults.take('webhook');
    const made = this.make(event, payload);
    const how = fault?.kind === 'delivery' ? fault.how : null;
    const due = how === 'late' ? [] : [...this.spoil(made, payload, how), ...this.late];
    this.late = how === 'late' ? [...this.late, made] : [];
    this.sent = this.sent.then(async () => {
      for (const delivery of due) this.statuses.push(await post(this.to.url, delivery));
    });
    return this.sent;
  }

  private spoil(made: Delivery, payload: FakePayload, how: Exclude<DeliveryFault, 'late'> | null): readonly Delivery[] {
    switch (how) {
      case null:
        return [made];
      case 'lost':
        return [];
      case 'doubled':
        return [made, made];
      case 'replayed':
        return [made, { ...made, id: randomUUID() }];
      case 'forged':
        return [{ ...made, signature: signatureOf('of somebody else', made.body) }];
      case 'huge':
        return [this.make(made.event, { ...payload, filling: 'x'.repeat(10_000_000) })];
      case 'of_another_repository':
        return [this.make(made.event, { ...payload, repository: { full_name: 'somebody/else' } })];
    }
  }

  private make(event: string, payload: FakePayload): Delivery {
    const body = JSON.stringify(payload);
    return { event, id: randomUUID(), body, signature: signatureOf(this.to.secret, body) };
  }
}

export function signatureOf(secret: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Null: it was not answered. */
async function post(url: string, { event, id, body, signature }: Delivery): Promise<number | null> {
  const headers = { 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': id };
  const signed = { ...headers, 'x-hub-signature-256': signature };
  return fetch(url, { method: 'POST', body, headers: signed }).then(
    ({ status }) => status,
    () => null,
  );
}

export function pullEvent({ name }: Pick<ForgeState, 'name'>, pull: FakePull, action = 'edited'): FakePayload {
  return { ...ofRepository(name), action, number: pull.number, pull_request: pullOf(pull) };
}

export function reviewEvent({ name }: Pick<ForgeState, 'name'>, pull: FakePull): FakePayload {
  return { ...ofRepository(name), action: 'submitted', review: { state: 'approved' }, pull_request: pullOf(pull) };
}

export function commentEvent({ name }: Pick<ForgeState, 'name'>, { number }: FakePull): FakePayload {
  return { ...ofRepository(name), action: 'created', issue: { number, pull_request: {} }, comment: { body: 'look!' } };
}

/** Of a fork's head the forge names no pull request. */
export function checkEvent({ name }: Pick<ForgeState, 'name'>, { headBranch, number }: FakePull): FakePayload {
  const suite = { head_branch: headBranch, pull_requests: [] };
  return { ...ofRepository(name), check_run: { status: 'completed', check_suite: suite, pull_requests: [{ number }] } };
}

export function suiteEvent({ name }: Pick<ForgeState, 'name'>, { headBranch, number }: FakePull): FakePayload {
  return { ...ofRepository(name), check_suite: { head_branch: headBranch, pull_requests: [{ number }] } };
}

export function statusEvent({ name }: Pick<ForgeState, 'name'>, { headBranch }: FakePull): FakePayload {
  return { ...ofRepository(name), state: 'success', branches: [{ name: headBranch }] };
}

export function pushEvent({ name }: Pick<ForgeState, 'name'>, branch: string): FakePayload {
  return { ...ofRepository(name), ref: `refs/heads/${branch}`, after: 'a'.repeat(40) };
}

function ofRepository(name: string): FakePayload {
  return { repository: { full_name: name } };
}

function pullOf({ number, headBranch, base, state }: FakePull) {
  return { number, state, head: { ref: headBranch }, base: { ref: base } };
}
