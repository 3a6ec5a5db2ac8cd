/** What agents get and what is believed of them. */
import type { Mutant } from '../mutant.js';

const ENVIRONMENT = 'test/unit/agent/environment.test.ts';

const RULING = 'test/unit/agent/acp-permission-rule.test.ts';

export const AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a decision with another code is taken',
    area: 'agents',
    file: 'activities/agent/answer/decision-line.ts',
    find: ' || match[2]?.toLowerCase() !== code.toLowerCase()',
    replace: '',
    test: {
      file: 'test/unit/agent/decision-line.test.ts',
      title: 'never decides with another code than the one in it',
    },
  },
  {
    name: 'the first decision line counts',
    area: 'agents',
    file: 'activities/agent/answer/decision-line.ts',
    find: '.findLast((value) => !isTemplate(value, values));',
    replace: '.find((value) => !isTemplate(value, values));',
    test: { file: 'test/unit/agent/decision-line.test.ts', title: 'is read from %s' },
  },
  {
    name: 'the environment allowlist lets everything through',
    area: 'agents',
    file: 'activities/agent/environment/environment.ts',
    find: 'if (ALLOWED.has(name) || LOCALE.test(name)) captured[name] = value;',
    replace: 'captured[name] = value;',
    test: { file: ENVIRONMENT, title: 'has no token, key or socket of the person or the server' },
  },
  {
    name: 'a proxy with a password is handed on',
    area: 'agents',
    file: 'activities/agent/environment/environment.ts',
    find: 'PROXIES.has(name) && !carriesPassword(value)',
    replace: 'PROXIES.has(name)',
    test: { file: ENVIRONMENT, title: 'drops a proxy that carries a password' },
  },
  {
    name: 'the PATH of the person is handed on as it is',
    area: 'agents',
    file: 'activities/agent/environment/environment.ts',
    find: 'captured[name] = programPath(value);',
    replace: 'captured[name] = value;',
    test: { file: ENVIRONMENT, title: 'drops entries of PATH that could lie in a worktree' },
  },
  {
    name: 'a config lies to an agent about its stage',
    area: 'agents',
    file: 'activities/agent/environment/turn-environment.ts',
    find: 'SLUICE_STAGE: turn.stage,',
    replace: '...{ SLUICE_STAGE: turn.stage, ...turn.config.env },',
    test: {
      file: 'test/unit/agent/agent-adapters.test.ts',
      title: 'gives the base, the agent’s own variables, and the engine’s last',
    },
  },
  {
    name: 'an agent that died of a signal is done',
    area: 'agents',
    file: 'activities/agent/outcome/read-plain-turn.ts',
    find: "if (exit.exitCode === 0 && text.trim() !== '') return { kind: 'done' };",
    replace: "if (text.trim() !== '') return { kind: 'done' };",
    test: { file: 'test/unit/agent/agent-adapters.test.ts', title: 'that failed is classified %s' },
  },
  {
    name: 'a timeout is a turn that is done',
    area: 'agents',
    file: 'activities/agent/outcome/guard-end.ts',
    find: "return { kind: 'timeout', why: why('the agent was ended at its time limit', complaint) };",
    replace: "return { kind: 'done' };",
    test: { file: 'test/unit/agent/agent-adapters.test.ts', title: 'that was ended as %s is a timeout' },
  },
  {
    name: 'the outcome line counts wherever it stands',
    area: 'agents',
    file: 'activities/agent/outcome/failure-table.ts',
    find: 'const told = exit.stderr.at(-1);',
    replace: "const told = exit.stderr.findLast((line) => line.startsWith('sluice-outcome'));",
    test: { file: 'test/unit/agent/failure-table.test.ts', title: 'counts only as the last line, and only on stderr' },
  },
  {
    name: 'a notification follows a redirect to another host',
    area: 'agents',
    file: 'activities/notify/post-webhook.ts',
    find: "redirect: 'manual',",
    replace: "redirect: 'follow',",
    test: {
      file: 'test/unit/notify/post-webhook.test.ts',
      title: 'that redirects to another host is refused for good, and the other host hears nothing',
    },
  },
  {
    name: 'a CLI that tells a success and exits with 1 is done',
    area: 'agents',
    file: 'activities/agent/events/cli-turn.ts',
    find: 'if (exit.exitCode === 0 && exit.signal === null) return',
    replace: 'if (exit.signal === null) return',
    test: { file: 'test/unit/agent/cli-bad-order.test.ts', title: 'tell a success, and it exits with 1: no success' },
  },
  {
    name: 'a CLI without its final event is done',
    area: 'agents',
    file: 'activities/agent/events/cli-turn.ts',
    find: "return { kind: 'unfinished' };",
    replace: "return { kind: 'success' };",
    test: {
      file: 'test/unit/agent/cli-bad-input.test.ts',
      title: 'may be torn anywhere: half of its final event is no success',
    },
  },
  {
    name: 'a conversation that is too long makes the prompt shorter and stays',
    area: 'agents',
    file: 'activities/agent/events/cli-turn.ts',
    find: 'if (turn.resume !== null)',
    replace: 'if (turn.resume === undefined)',
    test: {
      file: 'test/unit/agent/claude-adapter.test.ts',
      title: 'that overflows in an earlier conversation begins a new one',
    },
  },
  {
    name: 'a turn that goes on counts its whole conversation',
    area: 'agents',
    file: 'activities/agent/outcome/usage-delta.ts',
    find: 'return startedAgain',
    replace: 'return startedAgain || told !== before',
    test: {
      file: 'test/unit/agent/codex-adapter.test.ts',
      title: 'that goes on tells what it added to its conversation',
    },
  },
  {
    name: 'a stage that only reads gets the tools that its policy names',
    area: 'agents',
    file: 'activities/agent/environment/tool-level.ts',
    find: "if (policy.permissions === 'read-only' || defaultTools(stage) === 'read') return 'read';",
    replace: "if (policy.permissions === 'read-only') return 'read';",
    test: {
      file: 'test/unit/agent/tool-level.test.ts',
      title: 'are what the policy says where the stage may write, and never more elsewhere',
    },
  },
  {
    name: 'an ACP agent that may read may start any git',
    area: 'agents',
    file: 'activities/agent/adapters/acp/permission-rule.ts',
    find: 'GIT_LOOKING.test(line) && !GIT_ACTING.test(line)',
    replace: 'GIT_LOOKING.test(line)',
    test: { file: RULING, title: 'for %s is decided by the level of tools' },
  },
  {
    name: 'an ACP agent edits wherever it says',
    area: 'agents',
    file: 'activities/agent/adapters/acp/permission-rule.ts',
    find: ' && asked.paths.length > 0 && asked.paths.every((path) => isInside(cwd, path)))',
    replace: ' && cwd !== undefined)',
    test: { file: RULING, title: 'for %s is decided by the level of tools' },
  },
  {
    name: 'an answer allows whatever an ACP agent asks next',
    area: 'agents',
    file: 'activities/agent/adapters/acp/permission-rule.ts',
    find: 'spec.answers.findLast((one) => one.key === key)?.option;',
    replace: "spec.answers.findLast((one) => one.key !== '' && key !== '')?.option;",
    test: {
      file: RULING,
      title: 'takes what a person chose for this very request, also with another id, and no other',
    },
  },
];
