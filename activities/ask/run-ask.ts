/**
 * One question to an agent about a task, on this host, by marks: claim → exit (both the guard's) → outcome → record.
 * Effects: one process, files below the folder of the item; nothing of the repository. Idempotency: by place. The agent is started once, whatever dies.
 * Cancel: the process and its tree are gone, the marks stay.
 */
import { endingWith } from '../../config/system/ending-signal.js';
import type { AskInput, AskResult } from '../../protocol/actors/ask.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { AgentConfig } from '../../protocol/run/policy.js';
import { adapterOf } from '../agent/agent-adapters.js';
import type { AgentAdapter, TurnCommand, TurnRequest, TurnUsage } from '../agent/contract.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import { runLineCommand } from '../checks/own-commands.js';
import { isAnothers } from '../git/worktree/owner-mark.js';
import { type CommandEnd, DetachedError, type ExitRecord, StartRefused } from '../process/contract.js';
import { type ReadyAgent, readyAgent } from '../turn/agent-start.js';
import { findClosedAccount, rememberLimit } from '../turn/closed-account.js';
import { refusePlugins } from '../turn/repository-plugins.js';
import { badAgent } from '../turn/turn-failures.js';
import { configOf } from '../turn/turn-request.js';
import type { HostDeps } from '../unit/host-deps.js';
import { type Attempt, onceAtPlace } from '../unit/once-at-place.js';
import { OUTCOME_FILE, readSealedMark, writeSealedMark } from '../unit/place-record.js';
import { redactorOf, withoutValuesIn } from '../unit/run-redactor.js';
import { composeAsk } from './ask-prompt.js';
import { changedInTree, letTreeGo, makeTree, removeTree } from './ask-tree.js';
import { ASKED_AS, type AskOwner, findAsk } from './find-ask.js';
import { readAskAnswer } from './read-ask-answer.js';

interface AtAsk extends Attempt<AskOwner> {
  readonly deps: HostDeps;
  readonly input: AskInput;
}

export function createRunAsk(deps: HostDeps): (input: AskInput) => Promise<AskResult> {
  return (input) =>
    onceAtPlace<AskResult, AskOwner>(deps, {
      name: 'ask',
      input,
      find: () => findAsk(deps, input),
      isSealed: true,
      work: (at) => untilCalledOff({ ...at, deps, input }),
    });
}

/** What is called off leaves no tree. That is not part of what the cancel ends; whoever goes away meanwhile may leave its agent in it. */
async function untilCalledOff(at: AtAsk): Promise<AskResult> {
  const { cancel, detach } = at.signals;
  try {
    return await endingWith(cancel, () => runAsk(at));
  } catch (error) {
    if (cancel.aborted && !detach.aborted) await removeTree(at.owner.workplace);
    throw error;
  }
}

/** Once it is judged its tree is another's, or gone, whatever died in between. */
async function runAsk(at: AtAsk): Promise<AskResult> {
  const { workplace } = at.owner;
  const known = readSealedMark<AskResult>(at.place, OUTCOME_FILE);
  if (known.kind === 'answer') {
    await removeTree(workplace);
    return known.value;
  }
  const asked = prepareAsk(at);
  const end = await startOrAttach(at, asked);
  if (end.kind === 'not_started') {
    await removeTree(workplace);
    return resultOf(asked, { outcome: end.outcome, started: end.started });
  }
  // Without a cancel the abort was somebody else's; the next attempt, if the server wants one, starts the agent again.
  if (at.signals.cancel.aborted || end.exit.reason === 'aborted') throw new DetachedError('aborted');
  const result = await judgeAsk(at, asked, end.exit);
  writeSealedMark(at.place, OUTCOME_FILE, result);
  at.deps.failpoint('ask.after-outcome');
  await letTreeGo(workplace, at.owner.tree);
  return result;
}

interface PreparedAsk {
  readonly request: TurnRequest;
  readonly adapter: AgentAdapter;
  readonly command: TurnCommand;
  readonly tried: Parameters<typeof findClosedAccount>[0];
}

/** Errors: BadAgent. */
function prepareAsk({ deps, owner, input }: AtAsk): PreparedAsk {
  const { policy } = owner.record;
  const { workplace, task, title, candidates } = owner;
  const stagePolicy = stagePolicyOf(policy, { ...input, stage: ASKED_AS });
  const config = configOf(policy, stagePolicy.agent);
  const adapter = adapterOf(config, deps.scriptedEntry === undefined ? {} : { scriptedEntry: deps.scriptedEntry });
  const { ask, pass, refused, accountOpening: opening } = input;
  const { instructions, prompt } = stagePolicy;
  const request: TurnRequest = {
    stage: ask,
    round: pass,
    ask: 'work',
    config,
    stagePolicy,
    tools: 'read',
    permissions: policy.permissions,
    permissionAnswers: [],
    resume: null,
    env: workplace.env,
    decisionCode: '',
    cwd: workplace.checkout,
    prompt: composeAsk({ ask, pass, title, task, candidates, refused, instructions, prompt }),
  };
  const tried = { home: deps.home, agents: policy.agents, agent: stagePolicy.agent, opening };
  return { request, adapter, command: adapter.command(request), tried };
}

type AskEnd =
  | { readonly kind: 'ended'; readonly exit: ExitRecord }
  /** `started`: it was, and was lost each time. */
  | { readonly kind: 'not_started'; readonly outcome: TurnOutcome; readonly started: boolean };

/** Its account is closed: nothing is started. */
class AccountClosed extends Error {
  override readonly name = 'AccountClosed';

  constructor(readonly outcome: TurnOutcome) {
    super(outcome.kind);
  }
}

async function startOrAttach(at: AtAsk, asked: PreparedAsk): Promise<AskEnd> {
  const { config, stagePolicy, cwd } = asked.request;
  const { deps, owner, place, signals, input } = at;
  const { workplace } = owner;
  const { agent, timeoutMs } = stagePolicy;
  const ready = readyAgent({ deps, workplace, place }, { agent, config, command: asked.command, cwd, timeoutMs });
  const prepare = () => prepareTree(at, asked, ready);
  try {
    const hooks = { prepare, cancel: signals.cancel, detach: signals.detach };
    return endOf(await runLineCommand({ deps, workplace, place }, ready.spec, hooks));
  } catch (error) {
    if (error instanceof AccountClosed) return { kind: 'not_started', outcome: error.outcome, started: false };
    if (error instanceof StartRefused && error.code !== 'mark_not_written' && error.code !== 'spawn_failed')
      throw badAgent(`the agent that is asked to ${input.ask} cannot be started: ${error.message}`);
    if (signals.cancel.aborted) throw new DetachedError('aborted', { cause: error });
    throw error;
  }
}

function endOf(end: CommandEnd): AskEnd {
  if (end.kind === 'ended') return { kind: 'ended', exit: end.exit };
  const why = `the agent was started ${end.starts} times and every start was lost; see its stderr`;
  return { kind: 'not_started', outcome: { kind: 'crash_loop', why }, started: true };
}

async function prepareTree({ deps, owner }: AtAsk, { tried, request }: PreparedAsk, ready: ReadyAgent): Promise<void> {
  const closed = await findClosedAccount(tried);
  if (closed !== null) throw new AccountClosed(closed);
  await dropFormerTree(owner.workplace);
  await makeTree(owner.workplace, owner.tree);
  if (owner.workplace.sandbox.kind !== 'inside') await refusePluginsInTree(owner, request.config);
  deps.failpoint('ask.after-checkout');
  await ready.enter();
}

/** A task that is opened again has the folder of its former execution, whose worker may have died with its tree made. Its agent the guard has ended before it asks for the tree of the next. */
async function dropFormerTree(workplace: AskOwner['workplace']): Promise<void> {
  if (await isAnothers(workplace.checkout, workplace.owner)) await removeTree(workplace);
}

/** Errors: BadAgent; then the tree is another's to take. */
async function refusePluginsInTree({ workplace, tree }: AskOwner, config: AgentConfig): Promise<void> {
  try {
    await refusePlugins(config, workplace.checkout);
  } catch (error) {
    await letTreeGo(workplace, tree);
    throw error;
  }
}

/** Who changed what it was to look at has judged something else. */
async function judgeAsk({ deps, owner, input }: AtAsk, asked: PreparedAsk, exit: ExitRecord): Promise<AskResult> {
  const redactor = redactorOf(owner);
  const reading = await asked.adapter.read(asked.request, exit);
  const outcome = withoutValuesIn(reading.outcome, redactor);
  await rememberLimit(asked.tried, outcome);
  const told = { usage: reading.usage, exitCode: exit.exitCode, durationMs: exit.ranMs, started: true };
  if (outcome.kind !== 'done') return resultOf(asked, { ...told, outcome });
  const changed = await changedInTree(owner.workplace, owner.tree.ask);
  if (changed.length > 0)
    return resultOf(asked, { ...told, outcome, why: `it changed ${changed.slice(0, 3).join(', ')}` });
  const { itemDir } = owner;
  const answering = {
    ask: input.ask,
    itemDir,
    candidates: owner.candidates.map(({ id }) => id),
    durability: deps.durability,
  };
  const read = readAskAnswer(redactor.hide(reading.text), answering);
  return resultOf(asked, {
    ...told,
    outcome,
    ...(read.ok ? { answer: read.answer } : { why: redactor.text(read.why) }),
  });
}

interface Told extends Partial<Pick<AskResult, 'answer' | 'why' | 'exitCode' | 'durationMs'>> {
  readonly outcome: TurnOutcome;
  readonly started: boolean;
  readonly usage?: TurnUsage;
}

function resultOf({ request }: PreparedAsk, told: Told): AskResult {
  const { outcome, started, usage, answer = null, why = null, exitCode = null, durationMs = 0 } = told;
  const { tokensIn = null, tokensOut = null, costMicroUsd = null } = usage ?? {};
  return {
    outcome: 'why' in outcome ? { ...outcome, why: outcome.why.slice(0, MAX_SENTENCE_CHARS) } : outcome,
    agent: request.stagePolicy.agent,
    exitCode,
    durationMs,
    started,
    answer,
    costMicroUsd: started ? costMicroUsd : 0,
    why: why?.slice(0, MAX_SENTENCE_CHARS) ?? null,
    tokens: tokensIn === null || tokensOut === null ? (started ? null : 0) : tokensIn + tokensOut,
  };
}
