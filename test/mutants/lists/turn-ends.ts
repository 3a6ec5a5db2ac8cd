/** How a turn ended by itself, whatever lies around it, and what one costs whose agent was not started. */
import type { Mutant } from '../mutant.js';

const NOT_STARTED = 'test/unit/run/not-started.test.ts';
const GATES = 'test/workflow/gates.test.ts';

export const TURN_END_MUTANTS: readonly Mutant[] = [
  {
    name: 'a turn whose agent was not started is paid',
    area: 'limits',
    file: 'activities/turn/start-or-attach.ts',
    find: 'notStarted(err.trouble, existsSync(join(context.place.dir, CLAIM_FILE)))',
    replace: 'notStarted(err.trouble, existsSync(join(context.place.dir, CLAIM_FILE)) || true)',
    test: { file: NOT_STARTED, title: 'uses nothing, since no agent was started' },
  },
  {
    name: 'what a person took off the branch again is put back',
    area: 'git',
    file: 'activities/turn/move-branch-back.ts',
    find: 'return own.has(expected) || ',
    replace: 'return own.size > 0 || ',
    test: {
      file: NOT_STARTED,
      title: 'does not put back what a person agreed to and then took off the branch again',
    },
  },
  {
    name: 'an agent that has ended is judged only where its program is still there',
    area: 'agents',
    file: 'activities/turn/agent-start.ts',
    find: 'if (!existsSync(join(dir, CLAIM_FILE))) refuseMissing();',
    replace: 'if (existsSync(join(dir, CLAIM_FILE)) || missing !== null) refuseMissing();',
    test: { file: NOT_STARTED, title: 'is judged all the same where it has ended' },
  },
  {
    name: 'a run that was opened is refused where its next worker finds no agent',
    area: 'agents',
    file: 'activities/opening/open-run.ts',
    find: 'if (known === null) checkAgents(',
    replace: 'if (known !== undefined) checkAgents(',
    test: { file: NOT_STARTED, title: 'refuses a run that is to be opened, and none that was' },
  },
  {
    name: 'what a failed turn printed is its answer once a person agreed to what changed around it',
    area: 'engine',
    file: 'workflows/run/turn.ts',
    find: "return saidBy(result).kind === 'done' && isOwn",
    replace: 'return isOwn',
    test: { file: GATES, title: 'a turn that failed is taken again: what it printed is no answer' },
  },
  {
    name: 'a question is not asked where something changed around its turn',
    area: 'engine',
    file: 'workflows/run/turn.ts',
    find: 'const question = questionOf(saidBy(result), result.request);',
    replace: 'const question = questionOf(saidBy(result), null);',
    test: { file: GATES, title: 'its question is asked' },
  },
  {
    name: 'the person whom a review demanded is forgotten where its decision was asked for again',
    area: 'engine',
    file: 'workflows/run/review.ts',
    find: 'request: first.result.request }',
    replace: 'request: again.result.request }',
    test: {
      file: GATES,
      title: 'asks the person whom a review demanded, also where its decision had to be asked for again (V-48)',
    },
  },
  {
    name: 'a turn that was never begun counts in the budget of the day',
    area: 'limits',
    file: 'workflows/turns/day-budget.ts',
    find: 'const isFree = tried !== null && !tried.result.started;',
    replace: 'const isFree = tried !== null && !tried.result.started && turn.day === null;',
    test: { file: 'test/workflow/day-budget.test.ts', title: 'counts no turn whose agent was not started' },
  },
  {
    name: 'what a run tells after a reset has the id of what it told before',
    area: 'messages',
    file: 'workflows/journal/notify.ts',
    find: 'uuid4().slice(0, 8)',
    replace: 'uuid4().slice(0, 0)',
    test: {
      file: 'test/workflow/reset.test.ts',
      title:
        'of a run that told people before that point goes on, and what it tells from there is told under an id of its own',
    },
  },
  {
    name: 'a run that was aborted without its host does not say by whom',
    area: 'journal',
    file: 'worker/write-missing-ends.ts',
    find: "status.name === 'COMPLETED' ? await",
    replace: "status.name === 'TERMINATED' ? await",
    test: {
      file: 'test/unit/run/write-missing-ends.test.ts',
      title: 'says by whom a run was aborted that did not wait for its host',
    },
  },
  {
    name: 'a backlog decides by older rules after an upgrade',
    area: 'backlog',
    file: 'worker/ask-to-hand-over.ts',
    find: '  [BACKLOG_WORKFLOW]: BACKLOG_RULES.length,',
    replace: '  [BACKLOG_WORKFLOW]: BACKLOG_RULES[0] === undefined ? 0 : 1,',
    test: {
      file: 'test/unit/workflows/ask-to-hand-over.test.ts',
      title: 'knows the rules of every long-lived workflow but a batch, which keeps its own to its end',
    },
  },
  {
    name: 'a quota gate is opened by a probe whose agent was not started',
    area: 'limits',
    file: 'workflows/turns/quota-seat.ts',
    find: 'const isEnd = started && ',
    replace: 'const isEnd = (started || !started) && ',
    test: {
      file: 'test/workflow/quota.test.ts',
      title: 'is not opened by a probe whose agent was not started: the next one probes then, alone',
    },
  },
  {
    name: 'what a person chooses of a permission is lost where something changed around its turn',
    area: 'engine',
    file: 'workflows/run/turn.ts',
    find: "return said.kind === 'needs_input' ? (said.permission ?? null) : null;",
    replace:
      "return result.outcome.kind === 'needs_input' && said.kind === 'needs_input' ? (said.permission ?? null) : null;",
    test: { file: GATES, title: 'what a person chooses of its permission counts' },
  },
  {
    name: 'a live agent is refused its next attempt where its program is gone',
    area: 'guard',
    file: 'activities/process/guard/check-spec.ts',
    find: '    paths.every((path)',
    replace: '    [spec.argv[0], ...paths].every((path)',
    test: {
      file: 'test/unit/process/commands.test.ts',
      title: 'is attached to by somebody who does not find its program any more',
    },
  },
  {
    name: 'an ask starts a CLI over plugins of the repository',
    area: 'walls',
    file: 'activities/ask/run-ask.ts',
    find: "if (owner.workplace.sandbox.kind !== 'inside') await refusePlugins",
    replace: "if (owner.workplace.sandbox.kind === 'inside') await refusePlugins",
    test: {
      file: 'test/security/ask-plugins.test.ts',
      title: 'is planned by no CLI that would run them, and waits for a person who is told why',
    },
  },
  {
    name: 'a plugin is not seen where its key is written by numbers',
    area: 'walls',
    file: 'activities/turn/repository-plugins.ts',
    find: 'named.test(unescaped(key))',
    replace: 'named.test(unescaped(key.replaceAll("u", "v")))',
    test: { file: 'test/unit/run/repository-plugins.test.ts', title: 'with %s starts no turn of OpenCode' },
  },
  {
    name: 'a plugin is not seen where a comment stands behind its key',
    area: 'walls',
    file: 'activities/turn/repository-plugins.ts',
    find: '[:/]/g;',
    replace: '[:]/g;',
    test: { file: 'test/unit/run/repository-plugins.test.ts', title: 'with %s starts no turn of OpenCode' },
  },
  {
    name: 'extra usage counts as the end of a plan',
    area: 'agents',
    file: 'activities/agent/adapters/claude-code/claude-events.ts',
    find: "'isUsingOverage') === true;",
    replace: "'isUsingOverage') === 'true';",
    test: { file: 'test/unit/agent/cli-bad-order.test.ts', title: 'is none: %s' },
  },
  {
    name: 'an answer of OpenCode that broke off is an answer',
    area: 'agents',
    file: 'activities/agent/adapters/opencode/opencode-outcome.ts',
    find: "(reason === 'other' && !isBroken)",
    replace: "(reason === 'other' && (isBroken || !isBroken))",
    test: {
      file: 'test/unit/agent/cli-bad-order.test.ts',
      title: 'that broke off is no answer, and is asked for again',
    },
  },
  {
    name: 'a form that says that there is no question asks one',
    area: 'agents',
    file: 'activities/agent/answer/decision-line.ts',
    find: "NO_QUESTION.test(question.replace(/[.!]$/, ''))",
    replace: 'NO_QUESTION.test(question)',
    test: { file: 'test/unit/agent/human-request.test.ts', title: 'is none where its form says %s' },
  },
  {
    name: 'an ACP agent that has ended stops its turn by a question',
    area: 'agents',
    file: 'activities/agent/adapters/acp/client-turn.ts',
    find: '      this.isOver = true;',
    replace: '      this.isOver = false;',
    test: {
      file: 'test/unit/agent/hostile-acp.test.ts',
      title: 'that asks once it has ended has ended, and nobody is asked',
    },
  },
  {
    name: 'a task is planned by a model that sees no file',
    area: 'policy',
    file: 'config/resolve/resolve-policy.ts',
    find: "asksNeeded.includes('plan') ?",
    replace: "asksNeeded.includes('plan') && asksNeeded.length === 0 ?",
    test: {
      file: 'test/unit/config/model-keys.test.ts',
      title: 'is not planned for by a model %s, which sees no file of the repository',
    },
  },
];
