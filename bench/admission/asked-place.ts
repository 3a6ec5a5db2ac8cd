/** A repository whose tasks are judged and planned first, by an agent of the bench that has a ledger of its own, so that it can wait while other agents do not. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { itemWorkflowId } from '../../protocol/actors/item.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { JUDGED, STEP } from '../../test/support/admitted-project.js';
import { backlogOf, type Place } from '../backlog/backlog-place.js';
import { makeAgent } from '../bench-agent.js';
import type { BenchHost } from '../bench-host.js';
import { median } from '../median.js';
import type { HistoryEvent } from '../plain-run.js';
import { makeSmallRepository } from '../repositories.js';
import { itemsDirOf } from './kept-items.js';

/** Nobody has it checked out. */
export const BASE = 'release';

const STEPS = 3;
const BY_HAND = 3;
const PLAN = {
  plan: Array.from({ length: STEPS }, (_, n) => ({
    ...STEP,
    target_file: 'changed.txt',
    description: `line ${n + 1}`,
  })),
  files_affected: ['changed.txt'],
  symbols_affected: [],
};

/** `config`: lines of YAML beside the agent, the project's name and its checks. */
export async function openAsked(host: BenchHost, name: string, config: string): Promise<Place> {
  const folder = join(host.folder, `admission-${name}-agent`);
  mkdirSync(folder);
  const agent = makeAgent(folder, []);
  agent.answers('classify', JUDGED);
  agent.answers('plan', PLAN);
  const project = `bench-${name}`;
  const configText = `${agent.configText}project: { name: ${project} }\n${config}`;
  const repository = await makeSmallRepository({ home: host.home, configText }, join(host.folder, `admission-${name}`));
  execFileSync('git', ['branch', BASE], { cwd: repository });
  const place = { ...host, agent, repository };
  return { host: place, backlog: await backlogOf(place, project) };
}

export function itemOf({ host, backlog }: Place, id: string): WorkflowHandle {
  return host.client.workflow.getHandle(itemWorkflowId({ project: backlog.project, id }));
}

export async function eventsOfItem(place: Place, id: string): Promise<readonly HistoryEvent[]> {
  return (await itemOf(place, id).fetchHistory()).events ?? [];
}

/** Whether it is the schedule of one. */
export function isAsk(event: HistoryEvent): boolean {
  return event.activityTaskScheduledEventAttributes?.activityType?.name === 'runAsk';
}

/** In the order in which they were asked. */
export function asksIn(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return events.filter(isAsk);
}

/** The agent with the prompt of that very ask, in an ordinary folder; the median of a few times. Unit: ms. */
export async function askByHand(place: Place, id: string, ask: AskName): Promise<number> {
  const folder = join(await itemsDirOf(place), id, 'asks', ask, 'turns');
  const [turn = ''] = readdirSync(folder);
  const prompt = readFileSync(join(folder, turn, 'prompt.md'), 'utf8');
  const times: number[] = [];
  for (let n = 0; n < BY_HAND; n += 1) times.push(await place.host.agent.byHand(ask, prompt));
  return median(times) ?? 0;
}
