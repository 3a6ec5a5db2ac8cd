/**
 * The token of a forge while a run lands there and another works: in no command line, in no environment but that of the worker, which a person gave it to, and afterwards in no file of the engine
 * or the project, in no history of any workflow, raw or decoded, and in nothing that was logged; though requests failed on the way. Linux only.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { landingId } from '../../protocol/names.js';
import type { FakeForge } from '../support/forge/fake-forge.js';
import { type ForgedRepository, forgedRepository, landingWhere } from '../support/forge/forged-runs.js';
import { landingOf } from '../support/landed-runs.js';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { openTestHost, type TestHost, type TestWorker } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

/** Of no known shape, and no other test's. */
const TOKEN = `quiet-otter-${randomBytes(8).toString('hex')}`;

let host: TestHost;
let worker: TestWorker;
let one: ForgedRepository;
beforeAll(async () => {
  host = await openTestHost();
  worker = await host.startWorker({ env: { GH_TOKEN: TOKEN } });
  one = await forgedRepository(host, {
    ...QUEUED_RUNS,
    config: `${QUEUED_RUNS.config}landing: { mode: auto, needs: checked }\n`,
  });
  one.forge.state.scopes.set(TOKEN, 'repo');
}, LIMIT_MS);
afterAll(async () => {
  await host.close();
  one.forge.close();
}, LIMIT_MS);

const textOf = (path: string) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or is another user's.
    return '';
  }
};

/** Where the token is to be seen in the process table, and which programs were looked at. */
function lookAround(seen: Set<string>): readonly string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const line = textOf(join('/proc', pid, 'cmdline')).replaceAll('\0', ' ');
    const environment = textOf(join('/proc', pid, 'environ'));
    if (line.includes(TOKEN)) found.push(`command line: ${line}`);
    if (Number(pid) !== worker.pid && environment.includes(TOKEN)) found.push(`environment: ${line}`);
    seen.add(line);
  }
  return found;
}

/** Looks again and again until it is ended, and while a request of these is held. What asks for the token, and else lives for a moment, waits until it was looked at. */
function watchProcesses({ faults, state: { scopes } }: FakeForge, requests: readonly string[]) {
  const [found, seen] = [new Set<string>(), new Set<string>()];
  const sees = (name: string) => [...seen].some((line) => line.includes(name));
  const hasAsked = () => sees('programs/askpass.js');
  let isStopped = false;
  const look = () => {
    for (const place of lookAround(seen)) found.add(place);
    if (isStopped && hasAsked()) isStopped = !process.kill(worker.pid, 'SIGCONT');
  };
  for (const request of requests) faults.arm(request, { kind: 'before', act: look }, 3);
  const scopesOf = scopes.get.bind(scopes);
  // Git comes without a token first, and then has the worker asked for it, which cannot answer meanwhile.
  scopes.get = (token) => {
    if (token === '' && !hasAsked()) isStopped = process.kill(worker.pid, 'SIGSTOP');
    return scopesOf(token);
  };
  const looking = setInterval(look, 10);
  return {
    found,
    sees,
    end() {
      clearInterval(looking);
      look();
    },
  };
}

function valuesIn(history: temporal.api.history.v1.IHistory): readonly unknown[] {
  const values: unknown[] = [];
  const isPayload = (value: object): value is Payload => 'metadata' in value && 'data' in value;
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    if (isPayload(value)) values.push(defaultPayloadConverter.fromPayload(value));
    else for (const part of Object.values(value)) walk(part);
  };
  walk(history);
  return values;
}

describe('the token of a forge', () => {
  it(
    'is in no command line, no environment but the worker’s, no file, no history and no log',
    async () => {
      const { faults, state } = one.forge;
      const release = join(host.folder, 'release');
      const working = join(host.folder, 'working');
      const wait = `touch ${working}; until [ -e ${release} ]; do sleep 0.05; done`;
      const beside = await host.startRun(one.repository, { task: `change\ndo: ${wait}`, attended: false });
      await until(() => spawnSync('test', ['-e', working]).status === 0);
      faults.arm('POST pulls', { kind: 'error_after' });
      faults.arm('git receive-pack', { kind: 'error_after' });
      const watched = watchProcesses(one.forge, ['git upload-pack', 'git receive-pack', 'GET pulls']);
      const run = await host.startRun(one.repository, { task: 'change', attended: true });
      await until(async () => {
        await host.client.workflow
          .getHandle(landingId(run.runId))
          .signal('look', {})
          .catch(() => undefined);
        return (await landingOf(host, run.runId).catch(() => null))?.merge === 'merged';
      });
      spawnSync('touch', [release]);
      await beside.result();
      await landingWhere(host, beside.runId, ({ merge }) => merge === 'merged');
      watched.end();

      expect([...watched.found]).toEqual([]);
      const programs = ['agent.sh', 'git-runner', 'git-remote-http', 'push --porcelain', 'askpass'];
      expect(programs.filter((name) => !watched.sees(name))).toEqual([]);
      const filesWith = (text: string) =>
        spawnSync('grep', ['-rlaF', text, host.folder], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
      expect([filesWith(TOKEN), filesWith(state.name).length > 0]).toEqual([[], true]);
      expect(worker.logged()).not.toContain(TOKEN);
      const told: string[] = [];
      for await (const { workflowId, runId } of host.client.workflow.list()) {
        const history = await host.client.workflow.getHandle(workflowId, runId).fetchHistory();
        const raw = Buffer.from(temporal.api.history.v1.History.encode(history).finish()).toString('latin1');
        for (const shape of [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')])
          expect([workflowId, raw.includes(shape)]).toEqual([workflowId, false]);
        told.push(JSON.stringify(valuesIn(history)));
      }
      expect(told.filter((text) => text.includes(TOKEN))).toEqual([]);
      // What was read is what there is to read.
      const all = told.join('\n');
      expect([state.name, 'HTTP 502', 'merged'].filter((part) => !all.includes(part))).toEqual([]);
    },
    LIMIT_MS,
  );
});
