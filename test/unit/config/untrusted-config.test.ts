/** What the config of a project can do that nobody trusted: of every key, that it never loosens what is in force without it. */
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../config/config-error.js';
import { explainConfig } from '../../../config/explain-policy.js';
import { DEFAULT_GUARDED_PATHS } from '../../../config/guarded-paths.js';
import { KEYS } from '../../../config/keys.js';
import { resolvePolicy } from '../../../config/resolve-policy.js';
import { needsTrust } from '../../../config/select-config.js';

const AGENTS = 'agents: {main: {adapter: scripted}, spare: {adapter: scripted}}\n';

/** `a.b.c: value` as a file has it. */
const line = (key: string, value: string) =>
  `${key
    .split('.')
    .map((part, depth) => `${'  '.repeat(depth)}${part}:`)
    .join('\n')} ${value}\n`;

interface Texts {
  readonly user?: string;
  readonly project?: string;
  readonly isTrusted?: boolean;
}

function shown(key: string, { user = '', project, isTrusted = false }: Texts): unknown {
  const resolved = resolvePolicy({
    user: { text: `${AGENTS}${user}`, name: 'user.yaml' },
    ...(project === undefined ? {} : { project: { text: project, name: 'project.yaml', isTrusted } }),
    toLook: true,
  });
  const row = explainConfig(resolved).find((each) => each.key === (key === 'agent' ? 'stages.planning.agent' : key));
  if (row === undefined) throw new Error(`sluice config does not show ${key}`);
  return row.value;
}

/** Of each: what is stricter than the default, what is looser than that; `null` where the default is the loosest. */
const STRICTER: readonly (readonly [key: string, strict: string, loose: string | null])[] = [
  ['limits.turn', '30m', '7d'],
  ['limits.stall', '1m', '7d'],
  ['limits.killGrace', '1s', '5m'],
  ['limits.orphanGrace', '10s', '1d'],
  ['limits.heartbeat', '5s', '10m'],
  ['limits.outputBytes', '1MB', '10GB'],
  ['worktree.setupTimeout', '1m', '1d'],
  ['validation.timeout', '1m', '1d'],
  ['validation.baseFailures', 'fix', 'ignore'],
  ['stages.executing.timeout', '1m', '7d'],
  ['stages.executing.contextBytes', '100kB', '10MB'],
  ['stages.executing.tools', 'edit', null],
  ['rounds', '1', '20'],
  ['gates.maxChangeRounds', '1', '20'],
  ['holdAtCompletion', 'true', null],
  ['permissions', 'ask', null],
  ['budget.run.turns', '5', null],
  ['budget.run.minutes', '5', null],
  ['budget.run.usd', '5', null],
  ['budget.day.turns', '5', null],
  ['budget.day.minutes', '5', null],
  ['budget.day.usd', '5', null],
  ['budget.onLimit', 'stop', 'pause'],
  ['usageLimit.action', 'stop', 'fallback'],
  ['usageLimit.maxWait', '1m', '30d'],
  ['usageLimit.maxWaits', '1', '100'],
];

const ADDS: readonly (readonly [key: string, entry: string, inUser: string])[] = [
  ['guardedPaths', 'nothing/here', 'mine/**'],
  ['block', '*.sql', '*.pem'],
  ['gates.stages', 'verifying', 'executing'],
  ['worktree.setupInputs', 'nothing/here', 'mine.lock'],
];

/** No value of these allows more than another. */
const CHOOSES: readonly (readonly [key: string, inProject: string, inUser: string])[] = [
  ['preset', 'vibestrate', 'default'],
  ['agent', 'spare', 'main'],
  ['stages.executing.agent', 'spare', 'main'],
  ['stages.executing.model', 'theirs', 'mine'],
  ['stages.executing.effort', 'low', 'high'],
  ['stages.executing.instructions', 'theirs', 'mine'],
  ['stages.executing.prompt', '"theirs {{task}}"', '"mine {{task}}"'],
  ['validation.onFailure', 'review', 'fix'],
  ['gates.remind', '8h', '30m'],
  ['gates.escalate', '8h', '30m'],
  ['gates.expire', '8h', '30m'],
  ['gates.unattendedExpire', '8h', '30m'],
  ['attended', 'true', 'false'],
  ['stageList', 'express', 'full'],
];

const NEEDS_TRUST: readonly (readonly [key: string, value: string])[] = [
  ['agents.main.adapter', 'codex'],
  ['agents.main.command', 'evil'],
  ['agents.main.args', '[--evil]'],
  ['agents.main.env', '{NODE_OPTIONS: --require=/evil.js}'],
  ['agents.main.passEnv', '[MY_KEY]'],
  ['agents.main.model', 'dear'],
  ['agents.main.extendedModel', 'dear'],
  ['agents.main.provider', 'openai'],
  ['agents.main.baseUrl', 'https://evil.example/v1'],
  ['agents.main.configDir', '/tmp/evil'],
  ['agents.main.fallback', 'spare'],
  ['agents.main.account', 'other'],
  ['agents.main.home', '[.ssh]'],
  ['worktree.setup', '[evil]'],
  ['worktree.copy', '[.env]'],
  ['worktree.link', '[.env]'],
  ['validation.commands', '[evil]'],
  ['notify', '[]'],
  ['sandbox', 'off'],
  ['network', 'on'],
  ['networkAllow', '[evil.example]'],
  ['sandboxHome', '[.ssh]'],
  ['runsDir', '.claude/commands'],
];

const OWN_FILE = ['engine.durability', 'engine.ports.server', 'engine.ports.ui', 'slots'];

describe('a project config that nobody trusted', () => {
  it('has a rule for every key', () => {
    const ruled = [...STRICTER, ...ADDS, ...CHOOSES, ...NEEDS_TRUST].map(([key]) => key);
    const patterns = [...ruled, ...OWN_FILE, 'version'].map((key) =>
      key.replace(/^stages\.\w+\./, 'stages.<stage>.').replace(/^agents\.\w+\./, 'agents.<name>.'),
    );

    expect([...patterns].sort()).toEqual(Object.keys(KEYS).sort());
  });

  it.each(STRICTER)('makes %s stricter and never looser', (key, strict, loose) => {
    const written = (value: string) => shown(key, { project: line(key, value), isTrusted: true });

    expect(shown(key, { project: line(key, strict) })).toEqual(written(strict));
    if (loose === null) expect(shown(key, {})).not.toEqual(written(strict));
    else {
      expect(shown(key, { project: line(key, loose) })).toEqual(shown(key, {}));
      expect(shown(key, { project: line(key, loose), user: line(key, strict) })).toEqual(written(strict));
      expect(written(loose)).not.toEqual(shown(key, {}));
    }
  });

  it.each(ADDS)('adds to %s and replaces neither the default nor what its person wrote', (key, entry, inUser) => {
    const project = line(key, `["${entry}"]`);
    const fallback = shown(key, {}) as readonly string[];

    expect(shown(key, { project })).toEqual([...fallback, entry]);
    expect(new Set(shown(key, { project, user: line(key, `["${inUser}"]`) }) as readonly string[])).toEqual(new Set([inUser, entry]));
  });

  it.each(CHOOSES)('chooses %s only where its person did not', (key, inProject, inUser) => {
    const chosen = shown(key, { project: line(key, inProject), isTrusted: true });
    const mine = shown(key, { user: line(key, inUser) });

    expect(shown(key, { project: line(key, inProject) })).toEqual(chosen);
    expect(shown(key, { project: line(key, inProject), user: line(key, inUser) })).toEqual(mine);
    expect(mine).not.toEqual(chosen);
  });

  it.each(NEEDS_TRUST)('is not used at all with %s', (key, value) => {
    expect(needsTrust(line(key, value))).toBe(true);
  });

  it.each(OWN_FILE)('cannot have %s', (key) => {
    const value = key === 'engine.durability' ? 'power' : '2000';

    expect(() => shown('rounds', { project: line(key, value) })).toThrow(ConfigError);
  });

  it.each(['[executing]', '[executing, validating, verifying]', '[executing, reviewing, verifying]', '[executing, validating, reviewing]'])(
    'drops no stage that looks at a change: %s',
    (stages) => {
      expect(shown('stageList', { project: line('stageList', stages) })).toBe('full');
      expect(shown('stageList', { project: line('stageList', stages), isTrusted: true })).not.toBe('full');
    },
  );

  it('removes no gate of its person by a list of stages without it', () => {
    expect(() => shown('stageList', { project: line('stageList', 'express'), user: 'gates: [planning]\n' })).toThrow('never open');
  });

  it('guards by default what it does not name, and replaces that once it is trusted', () => {
    const project = 'guardedPaths: [nothing/here]\n';

    expect(shown('guardedPaths', { project })).toEqual([...DEFAULT_GUARDED_PATHS, 'nothing/here']);
    expect(shown('guardedPaths', { project, isTrusted: true })).toEqual(['nothing/here']);
  });
});
