/**
 * One turn with an ACP agent: initialize, session, prompt; every request of the agent is answered at once. What happens is told as events, which
 * acp-events.ts reads after the end. It offers the agent no files and no terminals: what the agent does it does by its own tools.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientContext, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { AcpPeer } from '../../../../config/agents/kind.js';
import { messageOf } from '../../../../config/system/error-code.js';
import { amountAt, at, boundText, listAt, textAt } from '../../events/event-fields.js';
import { type JsonEvent, jsonObjectOf } from '../../events/read-json-lines.js';
import { oneLine } from '../../one-line.js';
import type { AgentProcess } from './agent-process.js';
import { findKnownPeer } from './known-peers.js';
import { type AskedPermission, keyOf, rulePermission } from './permission-rule.js';
import { chooseMode, chooseModel, chooseResumeMethod, findKeyLogin } from './session-choices.js';
import type { TurnSpec } from './turn-spec.js';

/** Prints one event. */
export type Tell = (event: { readonly type: string } & JsonEvent) => void;

/** **Unit** ms. For an agent that was told to stop. */
const CANCEL_MS = 5_000;

/** **Unit** ms. For a past that is told late: longer than any takes, and a turn begins all the same. */
const PAST_MS = 2_000;

/** Source: the protocol's error codes. */
const AUTH_REQUIRED = -32_000;

export class AcpTurn {
  private prompted = false;
  private isOver = false;
  private stopping: AbortController | null = null;
  private session: string | null = null;
  private known: AcpPeer;
  private toldCommands: () => void = () => undefined;
  private readonly commandsTold = new Promise<void>((done) => {
    this.toldCommands = done;
  });

  constructor(
    private readonly spec: TurnSpec,
    private readonly tell: Tell,
  ) {
    this.known = findKnownPeer(spec.program);
  }

  /** Resolves whatever the agent answers. `failed`: it said why it cannot; `lost`: it is gone, or talks no more. */
  async take(prompt: string, agent: Pick<AgentProcess, 'stream'>): Promise<'finished' | 'failed' | 'lost'> {
    // Loaded while the agent starts.
    const acp = await import('@agentclientprotocol/sdk');
    const connection = acp
      .client({ name: 'sluice' })
      .onRequest(acp.methods.client.session.requestPermission, ({ params, agent: peer }) => this.answer(params, peer))
      .connect(agent.stream);
    try {
      await this.open(connection.agent, acp.PROTOCOL_VERSION);
      await this.prompt(connection.agent, prompt);
      return 'finished';
    } catch (error) {
      if (!(error instanceof StepFailed)) return 'lost';
      this.tell({ type: 'error', ...error.told });
      return 'failed';
    }
  }

  /** A message that the agent sent without asking anything. True: it was one. */
  update(message: JsonEvent): boolean {
    if (message['method'] !== 'session/update' || message['id'] !== undefined) return false;
    // A session that is loaded tells all of its past again.
    const update = at(message, 'params', 'update');
    if (this.prompted && textAt(message, 'params', 'sessionId') !== this.session)
      this.tell({ type: 'passed_over', what: 'other_session' });
    else if (this.prompted) tellUpdate(update, this.tell);
    else if (textAt(update, 'sessionUpdate') === 'available_commands_update') this.toldCommands();
    return true;
  }

  private async open(peer: ClientContext, protocolVersion: number): Promise<void> {
    const { spec, tell } = this;
    const asked = {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'sluice', version: '1' },
    };
    const agent = await step('initialize', peer.request('initialize', asked));
    const spoken = at(agent, 'protocolVersion');
    if (spoken !== protocolVersion)
      throw new StepFailed({
        during: 'initialize',
        message: `it speaks version ${oneLine(JSON.stringify(spoken) ?? '')} of ACP`,
      });
    const name = textAt(agent, 'agentInfo', 'name');
    this.known = findKnownPeer(spec.program, name);
    const { costsAnew } = this.known;
    tell({ type: 'agent', name, version: textAt(agent, 'agentInfo', 'version'), costsAnew });
    const session = await this.openSession(peer, agent);
    const sessionId = this.session ?? '';
    const modeId = chooseMode(session, spec.tools);
    if (modeId !== null) await step('session/set_mode', peer.request('session/set_mode', { sessionId, modeId }));
    const choice = chooseModel(session, spec.model);
    const model = spec.model ?? '';
    if (choice.kind === 'unknown')
      throw new StepFailed({
        during: 'session/set_model',
        message: `it has no model ${model}; it has ${choice.offered.join(', ')}`,
      });
    if (choice.kind === 'model')
      await step('session/set_model', peer.request('session/set_model', { sessionId, modelId: model }));
    if (choice.kind === 'option') {
      const { configId } = choice;
      await step('session/set_model', peer.request('session/set_config_option', { sessionId, configId, value: model }));
    }
  }

  /** What the agent answered about it. */
  private async openSession(peer: ClientContext, agent: unknown): Promise<unknown> {
    const { spec, tell } = this;
    const method = spec.resume === null ? null : chooseResumeMethod(agent);
    const open = async (): Promise<unknown> => {
      const { sessionMeta } = this.known;
      const about = { cwd: spec.cwd, mcpServers: [], ...(sessionMeta === null ? {} : { _meta: sessionMeta }) };
      if (method === null || spec.resume === null) return step('session/new', peer.request('session/new', about));
      return step(method, peer.request<unknown>(method, { ...about, sessionId: spec.resume }));
    };
    let session: unknown;
    try {
      session = await open();
    } catch (error) {
      const methodId = findKeyLogin(agent, process.env);
      if (!(error instanceof StepFailed) || error.told['code'] !== AUTH_REQUIRED || methodId === null) throw error;
      await step('authenticate', peer.request('authenticate', { methodId }));
      session = await open();
    }
    this.session = method === null ? textAt(session, 'sessionId') : spec.resume;
    if (this.session === null) throw new StepFailed({ during: 'session/new', message: 'it named no session' });
    tell({ type: 'session', id: this.session, resumed: method !== null });
    if (method === 'session/load' && this.known.pastComesLate) await Promise.race([this.commandsTold, sleep(PAST_MS)]);
    return session;
  }

  private async prompt(peer: ClientContext, text: string): Promise<void> {
    this.prompted = true;
    this.stopping = new AbortController();
    const sent = peer.request('session/prompt', { sessionId: this.session ?? '', prompt: [{ type: 'text', text }] });
    // At once: what it asks behind its answer may be read before anybody waits for that.
    const over = () => {
      this.isOver = true;
    };
    sent.then(over, over);
    const answer: unknown = await Promise.race([step('session/prompt', sent), whenIgnored(this.stopping.signal)]);
    this.tell({
      type: 'end',
      reason: textAt(answer, 'stopReason') ?? 'none',
      usage: at(answer, 'usage') ?? at(answer, '_meta', 'quota', 'token_count') ?? null,
    });
  }

  private answer(params: RequestPermissionRequest, peer: ClientContext): RequestPermissionResponse {
    const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
    // It has ended, or was told to stop, and one question is asked at a time; of another session nothing is known.
    if (this.isOver || this.stopping === null || this.stopping.signal.aborted || params.sessionId !== this.session)
      return cancelled;
    const asked = askedOf(params, this.known);
    const ruling = rulePermission(asked, this.spec);
    const { kind, title, options } = asked;
    if (ruling.kind === 'asked') {
      this.tell({ type: 'asked', key: keyOf(asked), kind, title: oneLine(title), options });
      // One that is gone needs no word.
      peer.notify('session/cancel', { sessionId: params.sessionId }).catch(() => undefined);
      this.stopping.abort();
      return cancelled;
    }
    const { option } = ruling;
    this.tell({ type: 'permission', ruling: ruling.kind, kind, title: oneLine(title), option: option?.kind ?? null });
    return option === null ? cancelled : { outcome: { outcome: 'selected', optionId: option.id } };
  }
}

/** Resolves where an agent that was told to stop does not. */
async function whenIgnored(stopping: AbortSignal): Promise<null> {
  await once(stopping, 'abort');
  return sleep(CANCEL_MS, null);
}

function askedOf({ toolCall, options }: RequestPermissionRequest, { titleIsCommand }: AcpPeer): AskedPermission {
  const named = [
    ...listAt(toolCall, 'locations').map((place) => textAt(place, 'path')),
    ...listAt(toolCall, 'content').map((part) => textAt(part, 'path')),
  ];
  const raw = toolCall.rawInput === undefined ? '' : JSON.stringify(toolCall.rawInput);
  return {
    kind: toolCall.kind ?? null,
    title: toolCall.title ?? raw,
    paths: named.filter((path) => path !== null),
    commandLine: textAt(toolCall, 'rawInput', 'command') ?? (titleIsCommand ? (toolCall.title ?? null) : null),
    options: options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind })),
  };
}

function tellUpdate(update: unknown, tell: Tell): void {
  switch (textAt(update, 'sessionUpdate')) {
    case 'agent_message_chunk':
      tell({ type: 'text', text: boundText(textAt(update, 'content', 'text') ?? '') });
      break;
    case 'tool_call':
      tell({
        type: 'tool',
        id: textAt(update, 'toolCallId'),
        kind: textAt(update, 'kind'),
        title: oneLine(textAt(update, 'title')),
      });
      break;
    case 'tool_call_update':
      tell({ type: 'tool_update', id: textAt(update, 'toolCallId'), status: textAt(update, 'status') });
      break;
    case 'usage_update':
      tell({ type: 'cost', amount: amountAt(update, 'cost', 'amount'), currency: textAt(update, 'cost', 'currency') });
      break;
    default:
      // It is at work: silence would look like a stall.
      tell({ type: 'update', of: oneLine(textAt(update, 'sessionUpdate')) });
  }
}

class StepFailed extends Error {
  constructor(readonly told: { readonly during: string; readonly message: string } & JsonEvent) {
    super(told.message);
  }
}

async function step<Answer>(during: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const code = at(error, 'code');
    // An answer of the agent's has a code; else the connection is lost.
    if (typeof code !== 'number') throw error;
    const data = at(error, 'data');
    throw new StepFailed({
      during,
      code,
      message: oneLine(wordsOf(messageOf(error))),
      errorKind: textAt(data, 'errorKind'),
      details: oneLine(textAt(data, 'details') ?? textAt(data, 'message') ?? (typeof data === 'string' ? data : '')),
    });
  }
}

/** The body of a provider's answer is passed on as it came: `{"error":{"code":400,"message":"API key not valid. …"}}` of gemini 0.61.0. */
function wordsOf(message: string): string {
  return textAt(jsonObjectOf(message.trim()), 'error', 'message') ?? message;
}
