/** What the config of a project can do that nobody trusted: of every key, that it never loosens what is in force without it. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_GUARDED_PATHS } from '../../../config/keys/guarded-paths.js';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { needsTrust } from '../../../config/resolve/select-config.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { ADDS, CHOOSES, line, NEEDS_TRUST, OWN_FILE, STRICTER } from './key-samples.js';

const AGENTS = 'agents: {main: {adapter: scripted}, spare: {adapter: scripted}}\n';

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
  const row = explainConfig(resolved).find((each) => each.key === key);
  if (row === undefined) throw new Error(`sluice config does not show ${key}`);
  return row.value;
}

describe('a project config that nobody trusted', () => {
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
    expect(new Set(shown(key, { project, user: line(key, `["${inUser}"]`) }) as readonly string[])).toEqual(
      new Set([inUser, entry]),
    );
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

  it.each(OWN_FILE)('cannot have %s', (key, value) => {
    expect(() => shown('rounds', { project: line(key, value) })).toThrow(ConfigError);
  });

  it.each([
    '[executing]',
    '[executing, validating, verifying]',
    '[executing, reviewing, verifying]',
    '[executing, validating, reviewing]',
  ])('drops no stage that looks at a change: %s', (stages) => {
    expect(shown('stageList', { project: line('stageList', stages) })).toBe('full');
    expect(shown('stageList', { project: line('stageList', stages), isTrusted: true })).not.toBe('full');
  });

  it('takes no look at a change away and lands nothing by a preset', () => {
    const user = { text: `${AGENTS}agent: main\nvalidation: {commands: [npm test]}\n`, name: 'user.yaml' };
    const policyWith = (isTrusted: boolean) =>
      resolvePolicy({ user, project: { text: 'preset: skep\n', name: 'project.yaml', isTrusted } }).policy;

    expect(policyWith(false)).toEqual(resolvePolicy({ user }).policy);
    expect(policyWith(true)).toMatchObject({
      stages: ['planning', 'executing', 'validating'],
      landing: { mode: 'auto', needs: 'checked' },
    });
  });

  it('removes no gate of its person by a list of stages without it', () => {
    expect(() => shown('stageList', { project: line('stageList', 'express'), user: 'gates: [planning]\n' })).toThrow(
      'never open',
    );
  });

  it('guards by default what it does not name, and replaces that once it is trusted', () => {
    const project = 'guardedPaths: [nothing/here]\n';

    expect(shown('guardedPaths', { project })).toEqual([...DEFAULT_GUARDED_PATHS, 'nothing/here']);
    expect(shown('guardedPaths', { project, isTrusted: true })).toEqual(['nothing/here']);
  });
});
