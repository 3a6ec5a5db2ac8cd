import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type InjectedSinks,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { tellStory } from '../../protocol/views/stage-story.js';
import { type KeptEvent, keptCommand, toldCommand } from './kept-commands.js';
import { screensOf } from './screens.js';
import { SHAPES } from './shapes.js';
import { storyLines } from './story-lines.js';
import type { CommandSinks, ToldCommand } from './tell-commands.js';
import { inOrder, toldEvents } from './told-journal.js';

const WORKFLOWS = fileURLToPath(new URL('../../dist/workflows/index.js', import.meta.url));
const INTERCEPTORS = [
  '../../dist/workflows/sdk-guards/readable-signals.js',
  '../../dist/workflows/sdk-guards/decided-too-early.js',
  './tell-commands.ts',
].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const NAMES = Object.keys(SHAPES);

describe('kept histories', () => {
  let bundle: WorkflowBundleWithSourceMap;
  let replays: ReadonlyMap<string, Replayed>;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    bundle = await bundleWorkflowCode({
      workflowsPath: WORKFLOWS,
      workflowInterceptorModules: INTERCEPTORS,
      logger: new DefaultLogger('ERROR'),
    });
    replays = await replayed(bundle, NAMES.map(read));
  }, 300_000);

  it('are there, one for each shape and no other', () => {
    const kept = readdirSync(FOLDER).map((name) => name.replace(/\.json$/, ''));

    expect(kept.toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('%s replays with the workflow of today', (shape) => {
    expect(replays.get(workflowIdOf(read(shape)))?.error).toBeNull();
  });

  it.each(NAMES)('%s asks the same of activities, children and other workflows, with the same input', (shape) => {
    const text = read(shape);
    const kept = eventsOf(text).flatMap(keptCommand);

    expect(replays.get(workflowIdOf(text))?.commands ?? []).toEqual(kept);
  });

  it('of each run tell what became of its stages, and at no time of two that are at work', () => {
    const told = NAMES.filter((name) => name.startsWith('run-')).map((shape) => {
      const events = inOrder(replays.get(workflowIdOf(read(shape)))?.events ?? []);
      const stories = events.map((_, index) => tellStory(events.slice(0, index + 1)));
      for (const { stages } of stories)
        expect([...stages.values()].filter(({ mark }) => mark === 'at_work' || mark === 'waits').length).toBeLessThan(
          2,
        );
      return [shape, ...storyLines(stories)].join('\n  ');
    });

    expect(`${told.join('\n')}\n`).toBe(readFileSync(new URL('./stage-marks.golden.txt', import.meta.url), 'utf8'));
  });

  it('of runs are shown as they were, at 60, 80 and 120 columns', () => {
    const runs = NAMES.filter((name) => name.startsWith('run-')).map((shape) => ({
      shape,
      events: inOrder(replays.get(workflowIdOf(read(shape)))?.events ?? []),
    }));
    const golden = new URL('./screens.golden.txt', import.meta.url);

    expect(screensOf(runs)).toBe(readFileSync(golden, 'utf8'));
  });

  it('of a run with 20 fix rounds stays under 1 500 events', () => {
    const text = read('run-twenty-rounds');
    const fixing = Buffer.from(JSON.stringify('fixing · stub')).toString('base64');

    expect(text.split(fixing)).toHaveLength(21);
    expect(eventsOf(text).length).toBeLessThan(1_500);
  });

  it('would fail if a run scheduled something else', async () => {
    const other = read('run-plain').replaceAll('"validate"', '"revalidate"');
    const [replay] = (await replayed(bundle, [other])).values();

    expect(replay?.error?.message).toContain('Nondeterminism');
  });
});

interface Kept {
  readonly events: readonly KeptEvent[];
}

interface Replayed {
  /** Null: it replays. */
  error: Error | null;
  readonly commands: string[];
  readonly events: JournalEvent[];
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

/** By workflow id. One worker for all of them. */
async function replayed(
  workflowBundle: WorkflowBundleWithSourceMap,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Replayed>> {
  const histories = texts.map((text) => ({
    workflowId: workflowIdOf(text),
    history: historyFromJSON(JSON.parse(text)),
  }));
  const replays = new Map(
    histories.map(({ workflowId }): [string, Replayed] => [workflowId, { error: null, commands: [], events: [] }]),
  );
  const told = ({ workflowId }: WorkflowInfo, command: ToldCommand) => {
    replays.get(workflowId)?.commands.push(toldCommand(command));
    replays.get(workflowId)?.events.push(...toldEvents(command));
  };
  const sinks: InjectedSinks<CommandSinks> = { commands: { told: { fn: told, callDuringReplay: true } } };
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle, sinks }, histories)) {
    const replay = replays.get(workflowId);
    if (replay !== undefined) replay.error = error ?? null;
  }
  return replays;
}
