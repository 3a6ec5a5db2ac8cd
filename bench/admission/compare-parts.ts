/**
 * Tasks that are compared with 10 000: once the texts are short, 600 bytes in the mean, once each has the most that a task may have. Of the short ones 9 900 are open in the backlog too, as many as the
 * bench `backlog` has: what a create takes beside the comparison is the same there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { backlogId, MAX_DESCRIPTION_BYTES } from '../../protocol/actors/backlog.js';
import { idsOf } from '../../test/support/backlog-client.js';
import { type TextsWanted, taskTexts } from '../../test/unit/admission/task-texts.js';
import { openMany, openPlace, type Place } from '../backlog/backlog-place.js';
import type { FigureName } from '../figures.js';
import { cpuOfHome, usedBetween } from '../home-cpu.js';
import { residentMbOf } from '../home-processes.js';
import type { Few, Parts } from '../parts.js';
import { add, type Measuring, measureBaselines, workOf } from '../plain-run.js';
import { restartWorker } from '../shell.js';
import { keepItems } from './kept-items.js';
import { longestStop } from './loop-watch.js';

interface Size {
  readonly name: string;
  readonly texts: TextsWanted;
  /** Rows of the backlog. */
  readonly open: number;
  readonly figures: Readonly<Record<'admit' | 'compare' | 'buildCpu' | 'memory' | 'loop', FigureName>>;
}

const SHORT: Omit<Size, 'open'> = {
  name: 'short',
  texts: { bytes: 600, isMixed: true },
  figures: {
    admit: 'comparedAdmitMs',
    compare: 'compareMs',
    buildCpu: 'indexCpuMs',
    memory: 'indexMb',
    loop: 'indexLoopMs',
  },
};

const LONG: Size = {
  name: 'long',
  texts: { bytes: MAX_DESCRIPTION_BYTES },
  open: 0,
  figures: {
    admit: 'comparedAdmitLongMs',
    compare: 'compareLongMs',
    buildCpu: 'indexLongCpuMs',
    memory: 'indexLongMb',
    loop: 'indexLongLoopMs',
  },
};

const COMPARED = 'admission: { order: [dedup] }\n';

/** Far more than one create has. */
const LAST_EVENTS = 100;
/** Unit: ms. A worker that was just started does some work of its own. */
const UNTIL_QUIET = 2_000;

export function compareParts(few: Few): Parts {
  const counts = { kept: few(10_000, 20), starts: few(3, 1), count: few(25, 2) };
  return {
    short: (measuring) => compareAmongMany(measuring, { ...SHORT, open: few(9_900, 10) }, counts),
    long: (measuring) => compareAmongMany(measuring, LONG, counts),
  };
}

interface Counts {
  readonly kept: number;
  readonly starts: number;
  /** Tasks that are compared once the index is there. */
  readonly count: number;
}

async function compareAmongMany(measuring: Measuring, size: Size, { kept, starts, count }: Counts): Promise<void> {
  const { host, samples } = measuring;
  const texts = taskTexts(kept + starts + count, size.texts);
  const place = await openPlace(measuring, `admission-${size.name}`, COMPARED);
  const plain = await openPlace(measuring, `admission-plain-${size.name}`, '');
  await plain.backlog.say('pause');
  await keepItems(place, texts.slice(0, kept));
  await openMany(
    place,
    Array.from({ length: size.open }, (_, n) => n + 1),
  );
  for (const text of texts.slice(kept, kept + starts)) {
    await restartWorker(host);
    // Whatever the first task of a worker costs, and the first that it hears of a backlog; nothing of this one is compared.
    await plain.backlog.create([text]);
    await place.backlog.status();
    await delay(UNTIL_QUIET);
    await buildIndex(measuring, { place, size, text });
  }
  for (const text of texts.slice(kept + starts)) {
    await measureBaselines(measuring);
    const { createMs, compareMs, stopMs } = await createOne(place, text);
    add(samples, size.figures.admit, createMs);
    add(samples, size.figures.compare, compareMs);
    // No figures: what a create takes on its host, and does to the loop where no index is built.
    add(samples, 'admitActivityMs', await lastAdmitMs(place));
    add(samples, 'createLoopMs', stopMs);
  }
}

interface ToBuild {
  readonly place: Place;
  readonly size: Size;
  readonly text: string;
}

/** By the first task after a start, with what its create takes itself. */
async function buildIndex({ host, samples }: Measuring, { place, size, text }: ToBuild): Promise<void> {
  const before = { cpu: cpuOfHome(host.home), mb: residentMbOf(host.workerPid()) };
  const { createMs, stopMs } = await createOne(place, text);
  add(samples, size.figures.buildCpu, usedBetween(before.cpu, cpuOfHome(host.home)).worker);
  add(samples, size.figures.memory, residentMbOf(host.workerPid()) - before.mb);
  add(samples, size.figures.loop, stopMs);
  add(samples, 'firstAdmitMs', createMs);
}

interface Created {
  readonly createMs: number;
  /** What its host says of it. */
  readonly compareMs: number;
  /** The longest of the worker's loop meanwhile. */
  readonly stopMs: number;
}

/** Errors: a task that was not taken in, or not compared. */
async function createOne({ host, backlog }: Place, text: string): Promise<Created> {
  let [createMs, id] = [0, ''];
  const stopMs = await longestStop(host, async () => {
    const began = performance.now();
    [id = ''] = idsOf(await backlog.create([text]));
    createMs = performance.now() - began;
  });
  const { dedup } = await backlog.item(id);
  if (dedup === undefined || dedup.duplicate !== null)
    throw new Error(`task ${id} was not compared, or is a duplicate`);
  return { createMs, compareMs: dedup.pass.ms, stopMs };
}

/** Of the last create: the time of its activity on the host, without what the server takes until it starts and once it ended. Of a history of thousands of events the end alone is read. */
async function lastAdmitMs({ host: { client }, backlog }: Place): Promise<number> {
  const execution = { workflowId: backlogId(backlog.project) };
  const asked = { namespace: client.options.namespace, execution, maximumPageSize: LAST_EVENTS };
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse(asked);
  const events = history?.events ?? [];
  const admit = events.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'admit');
  const { from, to } = workOf(events, admit);
  return to - from;
}
