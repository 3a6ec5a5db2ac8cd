/** The built thread that runs the workflows, with a bundle of the test's own: what the build changed in the SDK's. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { isRecord } from '../../../protocol/text/json.js';
import { leaveCallsUnwatched, watchActivations, writeStacksWhenAsked } from '../../../tools/workflow-thread.js';
import { until } from '../../support/until.js';

const THREAD = fileURLToPath(new URL('../../../dist/programs/workflow-thread.js', import.meta.url));

const WATCHED_MS = 1_000;
/** Longer than a busy machine takes for what ends. */
const UNWATCHED_MS = 60_000;

/** What the thread asks of a bundle, and no workflow: one job that never ends, and one that tells what promises are pending. */
const BUNDLE = `
globalThis.__webpack_module_cache__;
const pending = new Set();
var __TEMPORAL__ = { preloadModules() {}, api: {
  initRuntime({ info }) {
    globalThis.__TEMPORAL_ACTIVATOR__ = {
      info,
      moduleCache: new Map(),
      promiseStackStore: { childToParent: new Map(), promiseToStack: new Map() },
      mutateWorkflowInfo() {},
      errorToFailure: (error) => ({ message: String(error) }),
    };
  },
  activate({ jobs: [{ queryWorkflow }] }) {
    if (queryWorkflow.queryType === 'endless') for (;;);
    if (queryWorkflow.queryType === 'wait') pending.add(awaitPerson());
  },
  concludeActivation() {
    const stacks = [...globalThis.__TEMPORAL_ACTIVATOR__.promiseStackStore.promiseToStack.values()];
    return { stacks: stacks.map(({ formatted, structured }) => ({ formatted, names: structured.map((frame) => frame.function_name) })) };
  },
} };
async function awaitPerson() {
  await Promise.all([new Promise(() => undefined)]);
}
`;

const MAP = { version: 3, sources: [], names: [], mappings: '' };

interface Stack {
  readonly formatted: string;
  readonly names: readonly string[];
}

const typeOf = (answer: unknown) => (isRecord(answer) ? answer['type'] : null);

async function openThread(isolateExecutionTimeoutMs: number) {
  const thread = new Worker(THREAD);
  let requests = 0;
  const ask = async (input: object): Promise<unknown> => {
    thread.postMessage({ requestId: BigInt(requests++), input });
    const [{ result }] = await once(thread, 'message');
    return result;
  };
  const query = (queryType: string) =>
    ask({
      type: 'activate-workflow',
      runId: 'one',
      activation: { runId: 'one', jobs: [{ queryWorkflow: { queryType } }] },
    });
  await ask({
    type: 'init',
    workflowBundle: { code: BUNDLE, filename: 'bundle.js', sourceMap: MAP },
    isolateExecutionTimeoutMs,
    reuseV8Context: true,
    registeredActivityNames: new Set(),
    hasPatchActivationCallback: false,
  });
  await ask({ type: 'create-workflow', options: { info: { runId: 'one', unsafe: {} }, randomnessSeed: [], now: 0 } });
  return { query, [Symbol.asyncDispose]: async () => void (await thread.terminate()) };
}

describe('the thread of the workflows', () => {
  test('interrupts an activation that does not end, and goes on with the next', async () => {
    await using thread = await openThread(WATCHED_MS);
    await expect(thread.query('endless')).resolves.toMatchObject({
      type: 'error',
      message: `Script execution timed out after ${WATCHED_MS}ms`,
    });
    // Whatever takes its time on a busy machine is interrupted too.
    await until(async () => typeOf(await thread.query('nothing')) === 'ok');
  });

  test('writes where a pending promise was made once it is asked, of those within another only the outer one', async () => {
    await using thread = await openThread(UNWATCHED_MS);
    const { output } = (await thread.query('wait')) as { output: { completion: { stacks: Stack[] } } }; // As BUNDLE concludes.
    const { stacks } = output.completion;
    const begins = ({ formatted }: Stack) => formatted.trim().split(' (')[0];
    expect(stacks.map(begins)).toEqual(['at awaitPerson', 'at new Promise', 'at Function.all', '', 'at awaitPerson']);
    expect(stacks.map(({ names }) => names[0])).toEqual([
      'awaitPerson',
      'new Promise',
      'Function.all',
      'Promise.then',
      'awaitPerson',
    ]);
  });
});

describe('a file of the SDK that is not as it was', () => {
  test.each([writeStacksWhenAsked, leaveCallsUnwatched, watchActivations])('fails the build: %p', (rewrite) => {
    expect(() => rewrite('exports.other = true;')).toThrow('look at the SDK');
  });
});
