/**
 * Records one history a shape of the run workflow: `SLUICE_TEST_ADDRESS=<host:port> node --import tsx test/replay/record-histories.ts`.
 * A file that exists is never written again: each stands for runs that may still be open.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { STAGE_LISTS } from '../../protocol/lifecycle.js';
import { type Activities, openStubHost, stubOpen, stubTurn, stubValidation } from '../support/stub-host.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));

const SHAPES: Readonly<Record<string, Partial<Activities>>> = {
  plain: { openRun: async (input) => ({ ...stubOpen(input), searchAttributes: true }) },
  express: { openRun: async (input) => stubOpen(input, STAGE_LISTS.express) },
  'plan-only': { openRun: async (input) => stubOpen(input, STAGE_LISTS['plan-only']) },
  'validation-failed': {
    validate: async (input) => ({ ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }), journalSeq: input.journal.view.seq }),
  },
  'turn-failed': {
    runTurn: async (input) => stubTurn(input, input.stage === 'executing' ? { outcome: { kind: 'hard', why: 'exit 1' } } : {}),
  },
  'asked-again': {
    runTurn: async (input) =>
      stubTurn(input, input.stage === 'reviewing' && input.ask === 'work' ? { decision: { kind: 'unreadable' } } : {}),
  },
  'rolled-back-twice': { runTurn: async (input) => stubTurn(input, { rolledBack: input.stage !== 'executing' }) },
  'setup-failed': { openRun: async (input) => ({ ...stubOpen(input), setupError: 'npm ci failed' }) },
  'aborted-in-turn': {
    runTurn: async () => {
      const beat = setInterval(() => Context.current().heartbeat(), 20);
      return Context.current().cancelled.finally(() => clearInterval(beat));
    },
  },
};

mkdirSync(FOLDER, { recursive: true });
for (const [shape, overrides] of Object.entries(SHAPES)) {
  const file = join(FOLDER, `run-${shape}.json`);
  if (existsSync(file)) continue;
  const host = await openStubHost(overrides);
  const attributes = { SluiceProject: 2, SluiceStatus: 2, SluiceWaiting: 2, SluicePreset: 2 };
  await host.client.connection.operatorService.addSearchAttributes({
    namespace: host.client.options.namespace,
    searchAttributes: attributes,
  });
  const handle = await host.start({ task: 'change a.txt', repo: '/repository' }, `history-${shape}`);
  if (shape.startsWith('aborted')) {
    while (host.turns.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await handle.cancel();
  }
  await handle.result();
  writeFileSync(file, `${historyToJSON(await handle.fetchHistory())}\n`);
  await host.close();
  console.log(file);
}
