/** Shapes of an item whose task is judged and planned before it may start. */

import type { AskInput } from '../../protocol/actors/ask.js';
import { backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId } from '../../protocol/actors/item.js';
import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import type { Classification } from '../../protocol/admission/classifier-answer.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { openBacklog } from '../support/backlog-client.js';
import { stubAdmit, stubComparison } from '../support/stub-admit.js';
import { askedOf, failedAsk, stubAsk } from '../support/stub-ask.js';
import { type Activities, stubOpen, stubTurn } from '../support/stub-host.js';
import { AT, handedOver, itemShape } from './backlog-shapes.js';
import type { Shape, Shapes } from './shape.js';

type Judged = (input: AskInput) => Partial<Classification>;

/** A host that asks of every task how large it is, and how it is made. */
function asking(terms: Partial<ItemAdmission> = {}, judged: Judged = () => ({})): NonNullable<Shape['activities']> {
  return {
    admit: stubAdmit({}, askedOf(terms)),
    runAsk: async (input) => stubAsk(input, input.ask === 'classify' ? judged(input) : {}),
  };
}

const QUESTIONS = ['tabs or spaces?'];

/** As many passes of questions; then none. */
const asksTimes =
  (times: number): Judged =>
  ({ pass }) =>
    pass < times ? { questions: QUESTIONS } : {};

const answer = (round: number) => ({ by: 'ann', round, answers: ['tabs'] });

/** It hands over while it waits for answers, and is judged again by the execution after that. */
const HANDED_OVER: Shape = {
  activities: asking({}, asksTimes(1)),
  isEndless: true,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(['change a.txt'], 'a-key');
    await backlog.reaches('1', 'clarifying');
    const before = await handedOver(host, itemWorkflowId({ project, id: '1' }));
    await backlog.tell('1', 'answer', answer(1));
    await backlog.reaches('1', 'gated');
    await backlog.tell('1', 'reject');
    return before;
  },
};

/** The same as another, which its host found: it is born closed. */
const DUPLICATE: TaskDedup = {
  duplicate: { of: '7', layer: 'minhash', score: 1, isEqual: true, why: 'already queued as task #7 (status: queued)' },
  forced: null,
  possible: [],
  pass: {
    at: '2026-11-27T10:00:00.000Z',
    ms: 3,
    candidates: ['7'],
    reason: 'the same text as #7',
    layers: [{ layer: 'minhash', hit: { of: '7', score: 1 } }],
  },
};

/** Its host hears that the other is closed before it says so of the task again. */
const saysTwice = (): Shape['activities'] => {
  const admit = stubAdmit();
  return {
    admit: async (input) => {
      const result = await admit(input);
      const dedup = input.closed?.some(({ id }) => id === '7') === true ? {} : { dedup: DUPLICATE };
      const tasks = result.tasks.map((task) =>
        task.kind === 'admitted' ? { ...task, isKnown: false, item: { ...task.item, ...dedup } } : task,
      );
      return { ...result, compares: true, tasks };
    },
  };
};

/** What it was said to be like is closed: its host is asked again. */
const ASKED_AGAIN: Shape = {
  activities: saysTwice() ?? {},
  isEndless: true,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.say('pause');
    await backlog.create(['change a.txt'], 'a-key');
    await backlog.tell('1', 'reject');
    await backlog.reaches('1', 'closed');
    return host.client.workflow.getHandle(backlogId(project));
  },
};

const COMPARED: TaskDedup = stubComparison({ pass: { ...stubComparison().pass, candidates: ['1'] } });

const WITH_DEDUP: Partial<ItemAdmission> = { order: [['dedup'], ['classify', 'plan']], comparesAgain: true };

/** A host that finds every task somewhat like the first, and whose agent says of each whether it is that one. */
function comparing(of: string | null, judged: Judged = () => ({})): Partial<Activities> {
  const admit = stubAdmit({}, askedOf(WITH_DEDUP));
  return {
    admit: async (input) => {
      const result = await admit(input);
      const tasks = result.tasks.map((task) =>
        task.kind === 'admitted' && task.item.id !== of ? { ...task, item: { ...task.item, dedup: COMPARED } } : task,
      );
      return { ...result, tasks };
    },
    compareAgain: async () => COMPARED,
    runAsk: async (input) =>
      input.ask === 'dedup'
        ? { ...stubAsk(input), answer: { ask: 'dedup', resemblance: { of, reason: 'other words for it' } } }
        : stubAsk(input, input.ask === 'classify' ? judged(input) : {}),
  };
}

/** The second task is taken for the first, which waits for a person. */
const TAKEN_FOR_ANOTHER: Shape = {
  activities: comparing('1'),
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(['change a.txt', 'alter a.txt'], 'a-key');
    await backlog.reaches('2', 'closed');
    return host.client.workflow.getHandle(itemWorkflowId({ project, id: '2' }));
  },
};

/** Its plan only looks: it is done with what its steps said. */
const LOOKS: Partial<Activities> = {
  admit: stubAdmit({}, askedOf({ autoExecuteSmall: true })),
  runAsk: async (input) => {
    const { answer, ...result } = stubAsk(input);
    return {
      ...result,
      answer: answer?.ask === 'plan' ? { ...answer, plan: { ...answer.plan, readsOnly: true } } : answer,
    };
  },
  openRun: async (input) => ({
    ...stubOpen(input, STAGE_LISTS.full, { execute: { until: 'steps', keepTree: false } }),
    steps: [{ seq: 1, verb: 'verify', status: 'pending', awaits: 'turn', failures: 0, attempts: 0, continues: null }],
  }),
  runTurn: async (input) => stubTurn(input, { head: input.expectedHead }),
  closeRun: async (input) => ({
    report: '/runs/report.md',
    journalSeq: input.journal.view.seq,
    observations: [],
    document: { sha256: 'd'.repeat(64), bytes: 5, mediaType: 'text/markdown' },
  }),
};

export const ADMISSION_SHAPES: Shapes = {
  'backlog-asked-again-about-a-duplicate': ASKED_AGAIN,
  'item-admitted': itemShape(
    {},
    async (backlog) => {
      const { admission } = await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'approve', { by: 'ann', planHash: admission?.plan?.hash });
      await backlog.reaches('1', 'parked');
      await backlog.tell('1', 'done');
      await backlog.reaches('1', 'closed');
    },
    asking(),
  ),
  'item-small': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'parked');
      await backlog.tell('1', 'done');
      await backlog.reaches('1', 'closed');
    },
    asking({ autoExecuteSmall: true }),
  ),
  'item-refused-by-classifier': itemShape(
    {},
    (backlog) => backlog.reaches('1', 'closed'),
    asking({}, () => ({ scope: 'reject', rejectReason: 'another repository' })),
  ),
  'item-clarified-twice': itemShape(
    {},
    async (backlog) => {
      for (const round of [1, 2]) {
        await backlog.reaches('1', 'clarifying');
        await backlog.tell('1', 'answer', answer(round));
      }
      await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'reject');
      await backlog.reaches('1', 'closed');
    },
    asking({}, asksTimes(2)),
  ),
  'item-clarification-limit': itemShape(
    {},
    async (backlog) => {
      for (const round of [1, 2, 3]) {
        await backlog.reaches('1', 'clarifying');
        await backlog.tell('1', 'answer', answer(round));
      }
      await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'reject');
      await backlog.reaches('1', 'closed');
    },
    asking({}, asksTimes(4)),
  ),
  'item-plan-failed': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'approve', { by: 'ann', choice: 'one_step' });
      await backlog.reaches('1', 'parked');
      await backlog.tell('1', 'done');
      await backlog.reaches('1', 'closed');
    },
    { ...asking(), runAsk: async (input) => (input.ask === 'plan' ? failedAsk('no JSON') : stubAsk(input)) },
  ),
  'item-low-confidence': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'reject');
      await backlog.reaches('1', 'closed');
    },
    asking({ autoExecuteSmall: true, minConfidence: 0.95 }),
  ),
  'item-stopped-while-asked': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'admitting');
      await backlog.tell('1', 'stop');
      await backlog.tell('1', 'done');
      await backlog.reaches('1', 'closed');
    },
    {
      ...asking(),
      runAsk: async (input) => {
        const { Context } = await import('@temporalio/activity');
        const beat = setInterval(() => Context.current().heartbeat(), 100);
        await Context.current().cancelled.finally(() => clearInterval(beat));
        return stubAsk(input);
      },
    },
  ),
  'item-clarifying-handed-over': HANDED_OVER,
  'item-taken-for-another': TAKEN_FOR_ANOTHER,
  'item-compared-again': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'clarifying');
      await backlog.tell('1', 'answer', answer(1));
      await backlog.reaches('1', 'gated');
      await backlog.tell('1', 'reject');
      await backlog.reaches('1', 'closed');
    },
    comparing(null, asksTimes(1)),
  ),
  'item-answered-by-steps': itemShape({}, (backlog) => backlog.reaches('1', 'closed'), LOOKS),
};
