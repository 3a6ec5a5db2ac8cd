#!/usr/bin/env node
/**
 * A scripted ACP agent, a real process on the agent side of the protocol's own SDK: `acp-agent.mjs <scenario.json>`. It does the steps of the stage that
 * the prompt's marker names, else `steps`, and notes what it was asked in `log`, one JSON line each.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';

const scenario = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const log = (event) => {
  if (scenario.log !== undefined) appendFileSync(scenario.log, `${JSON.stringify(event)}\n`);
};

if (scenario.early !== undefined) {
  process.stderr.write(scenario.early.stderr ?? '');
  process.exit(scenario.early.exit);
}
if (scenario.ignoreTerm === true) process.on('SIGTERM', () => log({ signal: 'SIGTERM' }));
process.stdout.write(scenario.greeting ?? '');
log({ pid: process.pid });

const failure = ({ code, message, data }) => new acp.RequestError(code, message, data);

let cancelled;
const untilCancelled = new Promise((done) => {
  cancelled = done;
});

const opened = (method) => (context) => {
  log({ method, params: context.params });
  const fails = scenario.fails?.[method];
  if (fails !== undefined && !(fails.unlessAuthenticated === true && authenticated)) throw failure(fails);
  return { sessionId: 'session-1', ...scenario.session };
};

let authenticated = false;

let pastTold = Promise.resolve();

acp
  .agent({ name: 'scripted' })
  .onRequest('initialize', ({ params }) => {
    log({ method: 'initialize', params });
    return {
      protocolVersion: scenario.version ?? acp.PROTOCOL_VERSION,
      agentInfo: { name: scenario.name ?? 'scripted-acp', version: '1.0.0' },
      agentCapabilities: scenario.capabilities ?? {},
      authMethods: scenario.authMethods ?? [],
    };
  })
  .onRequest('authenticate', ({ params }) => {
    log({ method: 'authenticate', params });
    authenticated = true;
    return {};
  })
  .onRequest('session/new', opened('session/new'))
  .onRequest('session/load', async (context) => {
    const answer = opened('session/load')(context);
    const past = () =>
      update(context, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'told long ago' } });
    if (scenario.pastComesLate === true)
      pastTold = sleep(50)
        .then(past)
        .then(() => update(context, { sessionUpdate: 'available_commands_update', availableCommands: [] }));
    else await past();
    return answer;
  })
  .onRequest('session/resume', opened('session/resume'))
  .onRequest('session/set_mode', ({ params }) => {
    log({ method: 'session/set_mode', params });
    return {};
  })
  .onRequest('session/set_config_option', ({ params }) => {
    log({ method: 'session/set_config_option', params });
    return { configOptions: [] };
  })
  .onRequest(
    'session/set_model',
    (params) => params,
    ({ params }) => {
      log({ method: 'session/set_model', params });
      return {};
    },
  )
  .onNotification('session/cancel', () => {
    log({ method: 'session/cancel' });
    cancelled();
  })
  .onRequest('session/prompt', async (context) => {
    const prompt = context.params.prompt.map((block) => block.text).join('');
    log({ method: 'session/prompt', prompt });
    await pastTold;
    const stage = /^\[stage:(\w+)\]/.exec(prompt)?.[1];
    const code = [...prompt.matchAll(/^(?:DECISION|VERIFICATION) (\S+):/gm)].at(-1)?.[1] ?? '';
    for (const step of scenario.stages?.[stage] ?? scenario.steps ?? []) {
      const end = await take(context, step, code);
      if (end !== null) return end;
    }
    return { stopReason: 'end_turn' };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

if (scenario.staysOpen === true) setInterval(() => undefined, 1_000);

function update({ client, params }, content) {
  return client.notify('session/update', { sessionId: params.sessionId, update: content });
}

/** Null: the next step comes. */
async function take(context, step, code) {
  if (step.say !== undefined) {
    const text = step.say.replaceAll('{{code}}', code);
    await update(context, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }
  if (step.tool !== undefined)
    await update(context, { sessionUpdate: 'tool_call', toolCallId: 'call-0', status: 'completed', ...step.tool });
  if (step.update !== undefined) await update(context, step.update);
  if (step.raw !== undefined) process.stdout.write(step.raw);
  if (step.flood !== undefined) process.stdout.write(`${'x'.repeat(step.flood)}\n`);
  if (step.write !== undefined) writeFileSync(step.write.path, step.write.text);
  if (step.ask !== undefined) return ask(context, step);
  if (step.call !== undefined)
    log({ called: await context.client.request(step.call, {}).catch((error) => error.code) });
  if (step.daemon === true)
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)'], {
      detached: true,
      stdio: ['ignore', 1, 'ignore'],
    }).unref();
  if (step.die !== undefined) {
    if (typeof step.die === 'string') process.kill(process.pid, step.die);
    else process.exit(step.die);
    await sleep(60_000);
  }
  if (step.hang === true) await new Promise(() => undefined);
  if (step.fail !== undefined) throw failure(step.fail);
  return step.stop === undefined ? null : { stopReason: step.stop, ...step.with };
}

const OPTIONS = [
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

/** Works on where it is allowed, as a CLI would; it never goes on after a cancel. */
async function ask(context, { ask: asked, allowed }) {
  const { options = OPTIONS, ...toolCall } = asked;
  const { outcome } = await context.client.request('session/request_permission', {
    sessionId: context.params.sessionId,
    toolCall: { toolCallId: 'call-1', status: 'pending', ...toolCall },
    options,
  });
  log({ permission: outcome });
  if (outcome.outcome === 'cancelled' && asked.goesOn !== true) {
    await untilCancelled;
    return { stopReason: 'cancelled' };
  }
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  if (chosen?.kind.startsWith('allow') && allowed !== undefined) await take(context, allowed, '');
  return null;
}
