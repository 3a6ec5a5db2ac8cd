import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createDeliver } from '../../../activities/notify/deliver.js';
import { Attempts } from '../../../activities/unit/attempts.js';
import type { HostDeps } from '../../../activities/unit/host-deps.js';
import type { RunRecord } from '../../../activities/unit/run-record.js';
import { ensureHome, type HomePaths } from '../../../config/home/home.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { DELIVERY_FAILED, type Notification } from '../../../protocol/messages/notification.js';
import type { NotifySink } from '../../../protocol/run/policy.js';
import { tempFolders } from '../../support/temp-folder.js';

const RUN = { runId: 'run-1', repoKey: '0123456789abcdef' };
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
/** Of no known shape; an agent of the run has it. */
const GIVEN = 'quiet otter of nine';
const NOTIFICATION: Notification = {
  id: 'run-1:1',
  kind: 'gate_opened',
  message: `a gate is open; ${SECRET} ${GIVEN}`,
  runId: 'run-1',
  title: 'fix it',
  repo: '/repository',
  branch: 'sluice/run-1',
  status: 'waiting_for_approval',
  stage: 'executing',
  outcome: null,
  blockedReason: null,
  gate: 'gate-1',
  command: 'sluice approve run-1',
  at: '2026-01-01T00:00:00.000Z',
};

describe('the activity deliver', () => {
  const freshFolder = tempFolders();
  let folder: string;
  let home: HomePaths;

  beforeEach(() => {
    folder = freshFolder();
    home = ensureHome(join(folder, 'home'));
  });

  /** Of the record only the sinks, the forbidden places and the agents' variables are looked at here. */
  function openRun(notify: readonly NotifySink[]): void {
    const stateDir = home.stateDir(RUN.repoKey, RUN.runId);
    mkdirSync(stateDir, { recursive: true });
    const repository = { root: join(folder, 'repository') };
    const policy = { notify, agents: { bot: { env: { CORP_LOGIN: GIVEN } } } };
    const record = { version: 1, repository, worktree: join(folder, 'worktree'), policy } as unknown as RunRecord;
    writeFileSync(join(stateDir, 'run.json'), JSON.stringify(record));
  }

  function deliver(sink: number, environment: HostDeps['environment'] = process.env) {
    const mock = new MockActivityEnvironment();
    const deps = {
      home,
      environment,
      failpoint: noFailpoint,
      attempts: new Attempts(),
      isOpen: async () => true,
    } as Partial<HostDeps> as HostDeps;
    return { mock, delivering: mock.run(createDeliver(deps), { run: RUN, sink, notification: NOTIFICATION }) };
  }

  function program(body: string): string {
    const path = join(folder, 'sink');
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return path;
  }

  it('counts the sinks of the policy that are not on a terminal', async () => {
    openRun([{ kind: 'desktop' }, { kind: 'command', command: [program(`cat > ${folder}/told`)] }]);

    expect(await deliver(0).delivering).toEqual({ target: 'sink' });
    expect(JSON.parse(readFileSync(join(folder, 'told'), 'utf8'))).toMatchObject({
      id: 'run-1:1',
      kind: 'gate_opened',
      gate: 'gate-1',
    });
  });

  it('tells no secret, and hands a program neither forge token nor server address', async () => {
    openRun([{ kind: 'command', command: [program(`cat > ${folder}/told; env > ${folder}/env`)] }]);

    await deliver(0, { ...process.env, GH_TOKEN: 'forge', TEMPORAL_ADDRESS: 'server', HOOK_KEY: 'key' }).delivering;

    expect(readFileSync(join(folder, 'told'), 'utf8')).not.toContain(SECRET);
    expect(readFileSync(join(folder, 'told'), 'utf8')).not.toContain(GIVEN);
    expect(readFileSync(join(folder, 'env'), 'utf8')).not.toMatch(/GH_TOKEN|TEMPORAL_ADDRESS|HOOK_KEY/);
  });

  it('signs for an address with the key of the named variable, and refuses for good where the worker lacks it', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(`${String(request.headers['x-sluice-signature']).slice(0, 7)} ${body}`);
        response.writeHead(bodies.length === 1 ? 500 : 200).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    openRun([{ kind: 'webhook', url: `http://${host}/token`, secretEnv: 'HOOK_KEY' }]);

    await expect(deliver(0, {}).delivering).rejects.toMatchObject({
      type: DELIVERY_FAILED,
      nonRetryable: true,
      message: expect.stringContaining('HOOK_KEY'),
    });
    await expect(deliver(0, { HOOK_KEY: 'k' }).delivering).rejects.toMatchObject({
      type: DELIVERY_FAILED,
      nonRetryable: false,
      message: `${host}: it answered HTTP 500`,
    });
    expect(await deliver(0, { HOOK_KEY: 'k' }).delivering).toEqual({ target: host });
    server.closeAllConnections();
    server.close();

    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatch(/^sha256= /);
    expect(bodies.join()).not.toContain(SECRET);
  });

  it('refuses for good a run or a sink that this host does not have', async () => {
    await expect(deliver(0).delivering).rejects.toMatchObject({ type: DELIVERY_FAILED, nonRetryable: true });

    openRun([{ kind: 'desktop' }]);

    await expect(deliver(0).delivering).rejects.toMatchObject({ type: DELIVERY_FAILED, nonRetryable: true });
  });

  it('ends the program and answers the cancel unchanged', async () => {
    openRun([{ kind: 'command', command: [program('exec sleep 60')] }]);
    const { mock, delivering } = deliver(0);
    const ended = delivering.catch((error: unknown) => error);
    await once(mock, 'heartbeat');

    mock.cancel('CANCELLED');

    expect(await ended).toBeInstanceOf(CancelledFailure);
  });
});
