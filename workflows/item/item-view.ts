/** How an item looks to people. Pure. */
import { ITEM_WORKFLOW, type ItemView, itemWorkflowId } from '../../protocol/actors/item.js';
import { RUN_WAITS } from '../../protocol/run/run-word.js';
import { printable, printableLine } from '../../protocol/text/printable.js';
import type { Shown } from '../actor/actor.js';
import { headOf } from './after-run.js';
import type { ItemState } from './item-state.js';

export function viewOf(state: ItemState): ItemView {
  const { input, run, result, journal, updatedAt } = state;
  const { project, id, title, repo, host, createdAt } = input;
  return {
    project,
    id,
    title,
    state: state.state,
    reason: state.reason,
    why: state.why,
    waits: waitsOf(state),
    isHeld: state.isHeld,
    priority: state.priority,
    dependsOn: state.needs,
    files: state.files,
    admission: admissionOf(state),
    head: headOf(state),
    repo,
    host,
    runs: state.runs,
    run: run?.runId ?? result?.runId ?? null,
    result,
    journal,
    ...(input.dedup === undefined ? {} : { dedup: input.dedup }),
    createdAt,
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

function admissionOf({ admission }: ItemState): ItemView['admission'] {
  if (admission === null) return null;
  const { classification, plan, rounds, questions, compared } = admission;
  const answer = classification?.kind === 'ok' ? classification.answer : null;
  return {
    scope: answer?.scope ?? null,
    confidence: answer?.confidence ?? null,
    why: answer?.reason ?? null,
    plan: plan?.kind === 'ok' ? plan.plan : null,
    round: rounds.length + (questions.length === 0 ? 0 : 1),
    questions,
    duplicateOf: compared?.duplicateOf?.of ?? null,
  };
}

function waitsOf({ state, run, isHeld, admission }: ItemState): ItemView['waits'] {
  if (state === 'gated' || state === 'parked' || state === 'clarifying') return 'person';
  if (state === 'admitting') return admission?.isLimited === true ? 'account' : null;
  if (run?.word === 'usage_limit') return 'account';
  if (RUN_WAITS.some((wait) => wait === run?.word)) return 'person';
  if (isHeld) return 'person';
  return state === 'queued' && run === null ? 'slot' : null;
}

/** The memo is what lists show. */
export function showItem(state: ItemState): Shown {
  const { title, repo, state: status, reason, head, isHeld, why, run, runs, result, waits } = viewOf(state);
  const memo = {
    title,
    repo,
    state: status,
    reason,
    head,
    isHeld,
    run,
    runs,
    waits,
    why: why?.slice(0, MAX_WHY_CHARS) ?? null,
    outcome: result?.outcome ?? null,
    branch: result?.branch ?? null,
  };
  return { status, details: details(state), memo };
}

const MAX_WHY_CHARS = 200;

function details(state: ItemState): string {
  const { project, id, title, run, why, result, head } = viewOf(state);
  const reason = state.reason === null ? '' : `: ${state.reason.replaceAll('_', ' ')}`;
  const decide = (name: string) =>
    `\`temporal workflow signal --workflow-id ${itemWorkflowId({ project, id })} --name ${name}\``;
  const lines = [
    `${ITEM_WORKFLOW} **${project}/${id}**: **${state.state}**${reason}`,
    printableLine(title),
    why === null ? '' : printableLine(why),
    run === null ? '' : `run: \`${run}\``,
    result?.branch == null ? '' : `branch: \`${result.branch}\``,
    state.isHeld ? `it is paused: \`sluice task resume ${id}\` or ${decide('resume')}` : '',
    state.state === 'gated' ? `let it start: \`sluice task approve ${id}\` or ${decide('approve')}` : '',
    head === 'ready'
      ? 'checked as merged; it lands once its base is free, or with `sluice land --update-checkout`'
      : '',
    state.state === 'parked' ? `take it up again: \`sluice task run ${id}\` or ${decide('run')}` : '',
    state.state === 'running' ? `stop it: \`sluice task stop ${id}\` or ${decide('stop')}` : '',
  ];
  return printable(lines.filter((line) => line !== '').join('\n\n')).slice(0, MAX_DETAILS_CHARS);
}

const MAX_DETAILS_CHARS = 8_000;
