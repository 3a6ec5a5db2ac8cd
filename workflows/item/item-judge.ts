/** Which message an item takes in which state: one table, the same for an Update and a Signal. What it refuses names the state and what can be done. Pure. Source: S-03, S-53, S-87, S-89. */
import { ITEM_UPDATES, type ItemMessageName, type ItemStateName } from '../../protocol/actors/item.js';
import type { AnswerWord, ApproveWord } from '../../protocol/actors/item-admission.js';
import { checkAnswers } from '../../protocol/admission/clarify-text.js';
import { accepted, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import type { ItemEvent, ItemState } from './item-state.js';

/** Where each is taken. */
export const TAKEN: Readonly<Record<ItemMessageName, readonly ItemStateName[]>> = {
  approve: ['gated'],
  reject: ['admitting', 'clarifying', 'gated', 'queued', 'parked'],
  answer: ['clarifying'],
  run: ['parked'],
  stop: ['admitting', 'clarifying', 'queued', 'running'],
  pause: ['admitting', 'clarifying', 'gated', 'queued', 'running'],
  resume: ['admitting', 'clarifying', 'gated', 'queued', 'running'],
  set: ['admitting', 'clarifying', 'gated', 'queued', 'running', 'parked'],
  done: ['admitting', 'clarifying', 'gated', 'queued', 'running', 'parked'],
  remove: ['admitting', 'clarifying', 'gated', 'queued', 'parked'],
};

const ANSWERS: Readonly<Record<ItemMessageName, string>> = {
  approve: 'it is in the queue',
  reject: 'it is closed, rejected',
  answer: 'its task is judged again, with the answers',
  run: 'it is in the queue, and goes on where its last run ended',
  stop: 'it is parked',
  pause: 'it does not start until it is resumed',
  resume: 'it is not paused any more',
  set: 'it is noted',
  done: 'it is closed, done',
  remove: 'it is closed, deleted',
};

export function judgeItem(state: ItemState, event: ItemEvent): Judgement {
  const name = ITEM_UPDATES.find((known) => known === event.kind);
  if (name === undefined) return accepted('it is noted');
  const { run, wanted } = state;
  if ((event.kind === 'approve' || event.kind === 'reject') && event.as === 'agent' && !takesAgents(state))
    return refused(NO_AGENTS);
  if (event.kind === 'approve' && state.state === 'gated') return judgeApproval(state, event);
  if (event.kind === 'answer' && state.state === 'clarifying') return judgeAnswers(state, event);
  if (event.kind === 'set' && event.changes.dependsOn?.includes(state.input.id) === true)
    return refused('it cannot wait for itself; name other tasks');
  if (name === 'stop' && state.state === 'parked') return unchanged('it is parked already');
  if (wanted !== null && wanted.driver === name) return unchanged('its run is being ended already');
  // While its run is being started it is as good as running.
  const at = run === null ? state.state : 'running';
  if (isSaid(name, state) && TAKEN[name].includes(at))
    return unchanged(name === 'pause' ? 'it is paused already' : 'it is not paused');
  if (name === 'run' && at === 'queued') return unchanged('it is in the queue already');
  if (name === 'run' && at === 'running' && wanted === null) return unchanged('it runs already');
  if (TAKEN[name].includes(at)) return accepted(answerOf(name, run !== null));
  return refused(`it is ${wordOf(state, at)}; ${helpFor(name, at)}`);
}

/** Source: S-51. */
function takesAgents({ input }: ItemState): boolean {
  return input.admission?.allowAgentApproval === true;
}

const NO_AGENTS = 'an agent says so, and only a person may: admission.allowAgentApproval is false';

/** An approval is of one plan. Source: S-37, S-39. */
function judgeApproval({ admission, reason, input }: ItemState, { planHash, choice }: ApproveWord): Judgement {
  const plan = admission?.plan ?? null;
  const hash = plan?.kind === 'ok' ? plan.plan.hash : null;
  if (planHash !== null && planHash !== hash)
    return refused(
      `its plan is ${hash === null ? 'gone' : `another by now (${hash.slice(0, 12)})`}; look again: sluice task show ${input.id}`,
    );
  if (choice === 'again')
    return input.admission === null
      ? refused('nothing of it is planned')
      : accepted('its task is judged and planned once more');
  // Where no plan is asked for, none is missing.
  const isMissing = admission !== null && hash === null && plan !== null;
  if ((isMissing || reason === 'classify_failed') && choice === null)
    return refused(
      'it has no plan; say what to do: choice again plans it once more, choice one_step runs it as its text says',
    );
  return accepted(ANSWERS.approve);
}

/** Source: S-47. */
function judgeAnswers({ admission }: ItemState, { round, answers }: AnswerWord): Judgement {
  const { questions = [], rounds = [] } = admission ?? {};
  const now = rounds.length + 1;
  if (round !== now) return refused(`round ${round} is over; its questions are those of round ${now} by now`);
  const checked = checkAnswers(questions, answers);
  return 'why' in checked ? refused(checked.why) : accepted(ANSWERS.answer);
}

function answerOf(name: ItemMessageName, isAtWork: boolean): string {
  return (isAtWork ? AT_WORK[name] : null) ?? ANSWERS[name];
}

const AT_WORK: Partial<Record<ItemMessageName, string>> = {
  stop: 'its run is being ended; then it is parked',
  done: 'its run is being ended; then it is closed, done',
  pause: 'its run is asked to pause, and does so at its next stage',
  resume: 'its run is asked to go on',
};

/** Where a word about a pause says what is so already. A run that was asked to pause may not have got there. */
function isSaid(name: ItemMessageName, { run, isHeld }: ItemState): boolean {
  if (name === 'pause') return run === null ? isHeld : run.word === 'paused';
  return name === 'resume' && run === null && !isHeld;
}

function wordOf({ reason }: ItemState, at: ItemStateName): string {
  return reason === null ? at : `${at} (${reason.replaceAll('_', ' ')})`;
}

function helpFor(name: ItemMessageName, at: ItemStateName): string {
  if (at === 'running' && (name === 'reject' || name === 'remove')) return 'stop it first';
  const able = ITEM_UPDATES.filter((known) => TAKEN[known].includes(at));
  return able.length === 0 ? 'it takes no messages any more' : `it takes ${able.join(', ')}`;
}
