/**
 * A run with a person beside it, who sends messages as Updates of the run and looks at it by its Queries.
 * Nothing here decides by time: every wait is for something that the run shows.
 */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { FAILURES } from '../../protocol/failures.js';
import type { RunMessageName } from '../../protocol/messages/message-rows.js';
import type { RunResult } from '../../protocol/messages/messages.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { RunStatus } from '../../protocol/run/lifecycle.js';
import type { RunCase } from './ended-run.js';
import { detailsOf } from './run-steps.js';
import type { TestHost, TestRun } from './test-host.js';
import { fixtureWith, type TestRepository } from './test-repository.js';
import { until } from './until.js';

export interface AttendedRun {
  readonly run: TestRun;
  readonly repository: TestRepository;
  /** Errors: WorkflowUpdateFailedError where the run refuses it. */
  send(name: RunMessageName, argument?: object): Promise<MessageAnswer>;
  /** Why the run refuses it. Errors: plain Error where it does not. */
  refusal(name: RunMessageName, argument?: object): Promise<string>;
  /** Waits for it to be open. */
  gate(id?: string): Promise<Gate>;
  /** Approves the gates with these numbers, one after the other. */
  approve(...numbers: readonly number[]): Promise<void>;
  until(status: RunStatus): Promise<RunView>;
  /** Waits for the agent of the stage to have noted that many starts. */
  started(stage: string, times?: number): Promise<void>;
  /** Stages of the agents that were started, in order. */
  turns(): readonly string[];
  /** Of the stage's last turn. */
  prompt(stage: string): string;
  /** Events of the run's history, once everything that is on its way to the host has arrived. */
  historyLength(): Promise<number>;
  timers(): Promise<readonly number[]>;
  result(): Promise<RunResult>;
}

/** `attended` is left to the case, so by default somebody is expected. */
export async function attendedRun(
  host: TestHost,
  { stages = {}, input = {}, ...options }: RunCase,
): Promise<AttendedRun> {
  const repository = await host.repository({ ...options, fixture: fixtureWith(stages) });
  return beside(host, repository, await host.startRun(repository, input));
}

export function beside(host: TestHost, repository: TestRepository, run: TestRun): AttendedRun {
  const { handle } = run;
  const turns = () =>
    readLedger(repository.ledgerPath).flatMap(({ event, stage }) => (event === 'START' ? [stage] : []));
  const send = (name: RunMessageName, argument: object = {}) =>
    handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [{ by: 'ada', ...argument }] }).catch(withoutEffect);
  const gate = async (id?: string) => {
    await until(async () => isOpen(await run.view(), id));
    const open = (await detailsOf(handle)).gates.find(({ status }) => status === 'pending');
    if (open === undefined) throw new Error('no gate is open');
    return open;
  };
  const history = async () => (await handle.fetchHistory()).events ?? [];
  return {
    run,
    repository,
    send,
    refusal: async (name, argument) => refusalOf(await send(name, argument).catch((error: unknown) => error)),
    gate,
    async approve(...numbers) {
      for (const number of numbers) {
        const { id, commit } = await gate(`gate-${number}`);
        await send('approve', { gate: id, commit });
      }
    },
    async until(status) {
      await until(async () => (await run.view()).status === status);
      return run.view();
    },
    started: (stage, times = 1) => until(() => turns().filter((turn) => turn === stage).length >= times),
    turns,
    prompt: (stage) => run.read(`turns/${lastTurn(run, stage)}/prompt.md`),
    async historyLength() {
      await until(() => isQuiet(host, run));
      return (await history()).length;
    },
    timers: async () =>
      (await history()).flatMap(({ timerStartedEventAttributes: timer }) =>
        timer === null || timer === undefined ? [] : [Number(timer.startToFireTimeout?.seconds ?? 0)],
      ),
    result: () => run.result(),
  };
}

function isOpen({ pendingApprovalId }: RunView, id: string | undefined): boolean {
  return pendingApprovalId !== null && (id === undefined || pendingApprovalId === id);
}

/** The journal names every turn's place. */
function lastTurn(run: TestRun, stage: string): string {
  const last = run.events().findLast(({ type, data }) => type === 'turn.started' && data['stage'] === stage);
  return `${Number(last?.data['seq'])}-${stage}`;
}

/** Nothing is under way but what an agent or a command does. */
async function isQuiet(host: TestHost, run: TestRun): Promise<boolean> {
  const { raw } = await host.client.workflow.getHandle(run.runId).describe();
  const light = (raw.pendingActivities ?? []).filter(
    ({ activityType }) => !['runTurn', 'validate'].includes(activityType?.name ?? ''),
  );
  return light.length === 0 && (raw.pendingWorkflowTask ?? null) === null;
}

/** The answer to what changes nothing, as the facade reads it. Errors: every other error. */
function withoutEffect(error: unknown): MessageAnswer {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || cause.type !== FAILURES.MessageUnchanged) throw error;
  return { message: cause.message, status: String(cause.details?.[0]), changed: false };
}

function refusalOf(error: unknown): string {
  if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? '';
  if (error instanceof Error) throw error;
  throw new Error('the run took it');
}
