#!/usr/bin/env node
/**
 * A hostile program on the agent side of ACP, without the protocol's SDK, so that it can say what no agent would: `hostile-acp-agent.mjs <scenario.json>`.
 * `answers` has what it answers to a method instead of the right thing, `before` and `after` what it sends around the answer to the prompt: raw text, or
 * messages, which it sends `times` times. What it was sent is noted in `log`, one JSON line each.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const scenario = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const log = (event) => appendFileSync(scenario.log, `${JSON.stringify(event)}\n`);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const right = (method) => {
  switch (method) {
    case 'initialize':
      return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
    case 'session/new':
      return { sessionId: 'session-1' };
    case 'session/prompt':
      return { stopReason: 'end_turn' };
    default:
      return {};
  }
};

function saying(parts = []) {
  for (const { raw, message, flood, times = 1, exit } of parts) {
    for (let count = 0; count < times; count += 1) {
      if (raw !== undefined) process.stdout.write(raw);
      if (flood !== undefined) process.stdout.write(`${'x'.repeat(flood)}\n`);
      if (message !== undefined)
        send(
          message.method !== undefined && message.id === undefined && message.asks === true ? asking(message) : message,
        );
    }
    if (exit !== undefined) process.exit(exit);
  }
}

let asked = 0;

function asking({ method, params }) {
  asked += 1;
  return { method, params, id: `asked-${asked}` };
}

let answered = 0;
let prompt = null;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result, error } = JSON.parse(line);
  if (method === undefined) {
    answered += 1;
    if (answered <= 20) log({ answer: id, result, error: error?.code });
    if (answered === asked && prompt !== null) finish();
    return;
  }
  log({ method });
  if (id === undefined || scenario.silent === method) return;
  if (method === 'session/prompt') {
    saying(scenario.before);
    prompt = id;
    if (answered >= asked) finish();
    return;
  }
  for (const result of scenario.answers?.[method] ?? [right(method)]) send({ id, result });
});

function finish() {
  if (scenario.silent === 'end') return;
  for (const result of scenario.answers?.['session/prompt'] ?? [right('session/prompt')]) send({ id: prompt, result });
  prompt = null;
  log({ answered });
  saying(scenario.after);
}
