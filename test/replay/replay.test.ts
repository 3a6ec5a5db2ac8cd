import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { BUNDLE_PATH } from '../support/stub-host.js';
import { SHAPES } from './shapes.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const NAMES = Object.keys(SHAPES);

describe('kept histories', () => {
  let errors: ReadonlyMap<string, Error | null>;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    errors = await replayErrors(NAMES.map(read));
  }, 240_000);

  it('are there, one for each shape and no other', () => {
    const kept = readdirSync(FOLDER).map((name) => name.replace(/\.json$/, ''));

    expect(kept.toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('%s replays with the workflow of today', (shape) => {
    expect(errors.get(workflowIdOf(read(shape)))).toBeNull();
  });

  it('of a run with 20 fix rounds stays under 1 500 events', () => {
    const text = read('run-twenty-rounds');
    const fixing = Buffer.from(JSON.stringify('fixing · stub')).toString('base64');

    expect(text.split(fixing)).toHaveLength(21);
    expect(eventsOf(text).length).toBeLessThan(1_500);
  });

  it('would fail if a run scheduled something else', async () => {
    const other = read('run-plain').replaceAll('"validate"', '"revalidate"');
    const [error] = (await replayErrors([other])).values();

    expect(error?.message).toContain('Nondeterminism');
  });
});

interface Kept {
  readonly events: readonly { readonly workflowExecutionStartedEventAttributes?: { readonly workflowId: string } }[];
}

function read(shape: string): string {
  return readFileSync(join(FOLDER, `${shape}.json`), 'utf8');
}

function eventsOf(text: string): Kept['events'] {
  return (JSON.parse(text) as Kept).events; // Written by record-histories.ts.
}

/** Ids of children are made of it. */
function workflowIdOf(text: string): string {
  return eventsOf(text)[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
}

/** By workflow id; null: it replays. One worker for all of them. */
async function replayErrors(texts: readonly string[]): Promise<ReadonlyMap<string, Error | null>> {
  const histories = texts.map((text) => ({ workflowId: workflowIdOf(text), history: historyFromJSON(JSON.parse(text)) }));
  const errors = new Map<string, Error | null>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath: BUNDLE_PATH } }, histories)) {
    errors.set(workflowId, error ?? null);
  }
  return errors;
}
