/**
 * A project with a backlog of a cell's own and the person beside it, who brings a dead engine up and says what they said once more where no answer came. What became of its tasks is read from git and
 * folders.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repoKeyOf } from '../../../../activities/git/refs/find-repository.js';
import { ensureHome } from '../../../../config/home/home.js';
import { readOrMakeHostId } from '../../../../config/home/host-id.js';
import { backlogId } from '../../../../protocol/actors/backlog.js';
import {
  ITEM_WORKFLOW,
  type ItemStateName,
  type ItemView,
  itemWorkflowId,
  runIdOfItem,
} from '../../../../protocol/actors/item.js';
import { isItemId } from '../../../../protocol/actors/item-id.js';
import { type BacklogOf, openBacklog } from '../../../support/backlog-client.js';
import { replayErrors } from '../../../support/replay-errors.js';
import type { RepositoryOptions, TestRepository } from '../../../support/test-repository.js';
import type { ChaosHome } from '../chaos-home.js';
import { type Attended, insistOn } from '../insist.js';

export interface Project extends Attended {
  readonly project: string;
  readonly repository: TestRepository;
  /** Words of the person that a task has answered as taken: `<id> <name>`. One that is lost afterwards is said once more, and stands here twice. */
  readonly taken: string[];
}

/** What a project is made of, and how long its cell may take. */
export interface ProjectOptions extends RepositoryOptions {
  readonly limitMs: number;
}

export function newProjectName(): string {
  return `p${randomUUID().slice(0, 8)}`;
}

/** `config`: beside the name. Effects: a repository, and an engine that is up. */
export async function openAttended(
  place: ChaosHome,
  project: string,
  { limitMs, ...options }: ProjectOptions,
): Promise<Project> {
  const config = `project: { name: ${project} }\n${options.config ?? ''}`;
  const repository = await place.repository({ ...options, config });
  const client = await place.up();
  return { place, client, project, repository, taken: [], endAt: performance.now() + limitMs };
}

export function git({ repository }: Project, ...args: readonly string[]): string {
  return repository.git(...args).trim();
}

function backlogOf({ client, project, repository, place }: Project): Promise<BacklogOf> {
  return openBacklog(client, { project, repo: repository.path, host: readOrMakeHostId(place.home) });
}

/** As `insistOn`. The client is another one after each death of the engine. */
export function insist(attended: Project, step: (backlog: BacklogOf) => Promise<boolean>): Promise<void> {
  return insistOn(
    attended,
    async () => step(await backlogOf(attended)),
    async () => JSON.stringify(await tellAll(attended)),
  );
}

async function tellAll(attended: Project): Promise<readonly unknown[]> {
  const backlog = await backlogOf(attended);
  const told: unknown[] = [await backlog.status()];
  for (const id of numbersOf(attended)) told.push(await backlog.item(id).catch(String));
  return told;
}

/** Under one key, until each has its number or is refused. */
export async function handIn(attended: Project, tasks: Parameters<BacklogOf['create']>[0]): Promise<void> {
  const key = randomUUID();
  await insist(attended, async (backlog) => (await backlog.create(tasks, key)).verdicts !== null);
}

export interface Goal {
  readonly state: ItemStateName;
  /** At least; 1 where it is not said. */
  readonly runs?: number;
}

export async function reach(attended: Project, id: string, goal: Goal): Promise<ItemView> {
  let found: ItemView | null = null;
  await insist(attended, async (backlog) => {
    const item = await backlog.item(id);
    found = item;
    return isAt(item, goal);
  });
  if (found === null) throw new Error(`nobody looked at task ${id}`);
  return found;
}

function isAt(item: ItemView, { state, runs = 1 }: Goal): boolean {
  return item.state === state && item.runs >= runs;
}

export interface Word extends Goal {
  readonly name: string;
  readonly argument?: (item: ItemView) => unknown;
}

/** Said again until it is so: a word that was taken is no other word the second time. */
export async function say(attended: Project, id: string, { name, argument, ...goal }: Word): Promise<void> {
  await insist(attended, async (backlog) => {
    const item = await backlog.item(id);
    if (isAt(item, goal)) return true;
    if (item.journal.some(({ driver }) => driver === name)) return false;
    await backlog.tell(id, name, argument?.(item));
    attended.taken.push(`${id} ${name}`);
    return false;
  });
}

/** Given again until it counts: a round that is over takes no other answer. `read`: null as long as there is none. */
export async function answerFirst(
  attended: Project,
  id: string,
  read: (item: ItemView) => readonly string[] | null,
): Promise<void> {
  await insist(attended, async (backlog) => {
    const item = await backlog.item(id);
    const { state, admission } = item;
    const answers = state === 'clarifying' ? read(item) : null;
    if (answers !== null) {
      await backlog.tell(id, 'answer', { by: 'ann', round: 1, answers });
      attended.taken.push(`${id} answer`);
    }
    return state !== 'admitting' && state !== 'clarifying' && admission?.round === 1;
  });
}

export async function itemsOf(attended: Project, ids: readonly string[]): Promise<readonly ItemView[]> {
  const items: ItemView[] = [];
  for (const id of ids)
    await insist(attended, async (backlog) => {
      items.push(await backlog.item(id));
      return true;
    });
  return items;
}

/** Slots that are taken, once none is or the cell's time is over. */
export async function slotsOf(attended: Project): Promise<number> {
  let slots = Number.NaN;
  await insist(attended, async (backlog) => {
    slots = (await backlog.status()).slots;
    return slots === 0;
  });
  return slots;
}

/** Workflows of items of this project. */
export async function countItems({ client, project }: Project): Promise<number> {
  let count = 0;
  const query = `WorkflowType = "${ITEM_WORKFLOW}" AND WorkflowId STARTS_WITH "item:${project}/"`;
  for await (const { workflowId } of client.workflow.list({ query })) count += workflowId === '' ? 0 : 1;
  return count;
}

/** Of the backlog, its tasks and their runs: those whose history no worker can load again, so that they would stand still for good. */
export async function countUnreplayable(attended: Project, items: readonly ItemView[]): Promise<number> {
  const { project } = attended;
  const ofItem = ({ id, runs }: ItemView) => [
    itemWorkflowId({ project, id }),
    ...Array.from({ length: runs }, (_none, before) => runIdOfItem({ project, id }, before + 1)),
  ];
  const ids = [backlogId(project), ...items.flatMap(ofItem)];
  let errors: readonly string[] = [];
  await insist(attended, async () => {
    errors = await replayErrors(ids.map((id) => attended.client.workflow.getHandle(id)));
    return true;
  });
  for (const error of errors) console.error(error);
  return errors.length;
}

/** That the host gave to tasks of this project. */
export function numbersOf(attended: Project): readonly string[] {
  return readdirSync(itemsDirOf(attended)).filter(isItemId);
}

/** Of the host: the folders of this project's tasks. */
export function itemsDirOf({ place, repository }: Project): string {
  const repoKey = repoKeyOf(readOrMakeHostId(place.home), join(repository.path, '.git'));
  return ensureHome(place.home).itemsDir(repoKey);
}
