/** Shapes of an item whose task is judged and planned before it may start. */

import type { AskInput } from '../../protocol/actors/ask.js';
import { backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId } from '../../protocol/actors/item.js';
import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import type { Classification } from '../../protocol/admission/classifier-answer.js';
import { openBacklog } from '../support/backlog-client.js';
import { stubAdmit } from '../support/stub-admit.js';
import { askedOf, failedAsk, stubAsk } from '../support/stub-ask.js';
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
  ...{ forced: null, possible: [] },
  pass: {
    ...{ at: '2026-11-27T10:00:00.000Z', ms: 3, candidates: ['7'], reason: 'the same text as #7' },
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
};
