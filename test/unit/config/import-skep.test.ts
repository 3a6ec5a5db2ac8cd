/** What `sluice import skep` makes of Skep's config. Source: docs/requirements/skep.md "Formats". */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { lookUpKey } from '../../../config/import/look-up-key.js';
import { makeConfig } from '../../../config/import/make-config.js';
import { readSkep, SKEP_CONFIG } from '../../../config/import/read-skep.js';
import { FILE_KEYS, VARIABLES } from '../../../config/import/skep-keys.js';
import type { DetectedProject } from '../../../config/init/detect-project.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
const NOTHING: DetectedProject = { setup: [], validation: [], seen: [] };

let path: string;

beforeEach(() => {
  path = join(freshFolder(), SKEP_CONFIG);
  mkdirSync(dirname(path));
});

const file = () => ({ path, name: SKEP_CONFIG, isOwn: true });

type Env = Readonly<Record<string, string>>;

function read(config: unknown, env: Env = {}) {
  writeFileSync(path, typeof config === 'string' || Buffer.isBuffer(config) ? config : JSON.stringify(config));
  return readSkep(file(), env);
}

/** As if every key were there that the table leads to. */
const allKeys = () => ({ kind: 'taken' }) as const;

const textOf = (config: unknown, env: Env = {}, detected = NOTHING) =>
  makeConfig({ from: SKEP_CONFIG, skep: read(config, env), detected }, allKeys).text;

/** By the keys that this version has. */
const made = (config: unknown, env: Env = {}) =>
  makeConfig({ from: SKEP_CONFIG, skep: read(config, env), detected: NOTHING });

function refused(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const HEAD = `# Made of .skep/config.json by: sluice import skep
# All keys: docs/config.md; what is in force: sluice config
version: 1
preset: skep
`;

const EVERYTHING = {
  llm: 'codex',
  llm_classify: 'claude',
  llm_dedup: 'gemini',
  model: 'gpt-5-codex',
  model_classify: 'haiku',
  model_dedup: 'gemini-flash',
  test_cmd: 'make "it" # all',
  auto_execute_small: true,
  approval_watchdog: false,
  approval_patterns: ['go on\\?', '^\\[y/n\\]'],
  step_model_by_verb: { test: 'haiku', refactor: 'opus' },
  tmux_layout: 'popup',
};

const VARIABLES_SET = {
  SKEP_CLASSIFY_TIMEOUT: '90',
  SKEP_DEDUP_TIMEOUT: '30',
  SKEP_CLASSIFY_MCP: 'on',
  SKEP_PLAN_MCP: '0',
  SKEP_DEDUP_BM25_THRESHOLD: '0.9',
  SKEP_DEDUP_TRIGRAM_THRESHOLD: '.6',
  SKEP_DEDUP_TFIDF_THRESHOLD: '1',
  SKEP_DEDUP_MINHASH_THRESHOLD: '0.75',
};

describe('the config that is made', () => {
  it('of an empty one has the agent that Skep takes where none is named', () => {
    expect(textOf({})).toBe(`${HEAD}agents:
  claude:
    adapter: claude-code
agent: claude
`);
  });

  it('says everything that Skep can be told', () => {
    expect(textOf(EVERYTHING, VARIABLES_SET)).toBe(`${HEAD}agents:
  codex:
    adapter: codex
    model: gpt-5-codex
  claude:
    adapter: claude-code
  gemini:
    adapter: acp
    command:
      - gemini
      - --acp
agent: codex
asks:
  classify:
    agent: claude
    model: haiku
    timeout: 90s
    mcp: true
  dedup:
    agent: gemini
    model: gemini-flash
    timeout: 30s
  plan:
    timeout: 90s
    mcp: false
admission:
  autoExecuteSmall: true
validation:
  commands:
    - 'make "it" # all'
execute:
  stepModelByVerb:
    test: haiku
    refactor: opus
watchdog:
  enabled: false
  patterns:
    - go on\\?
    - ^\\[y/n\\]
  replacePatterns: true
display:
  tmuxLayout: popup
dedup:
  thresholds:
    keyword: 0.9
    trigram: 0.6
    tfidf: 1
    minhash: 0.75
`);
  });

  it('is the same in whatever order Skep was told', () => {
    const reversed = Object.fromEntries(Object.entries(EVERYTHING).toReversed());

    expect(textOf(reversed)).toBe(textOf(EVERYTHING));
  });

  it('takes what is empty for what was not said', () => {
    expect(textOf({ llm: '', model: '', test_cmd: '', step_model_by_verb: {}, approval_patterns: [] })).toBe(
      textOf({}),
    );
    expect(textOf({}, { SKEP_DEDUP_TIMEOUT: '' })).toBe(textOf({}));
  });

  it('has the checks and the set-up that are seen in the repository, where Skep would look for them', () => {
    const detected = { setup: ['npm ci'], validation: ['npm test'], seen: ['package-lock.json'] };

    expect(textOf({}, {}, detected)).toContain(
      'validation:\n  commands:\n    - npm test\nworktree:\n  setup:\n    - npm ci\n# Read from package-lock.json: validation.commands and worktree.setup\n',
    );
    expect(textOf({ test_cmd: 'make test' }, {}, detected)).toContain(
      'validation:\n  commands:\n    - make test\nworktree:\n  setup:\n    - npm ci\n# Read from package-lock.json: worktree.setup\n',
    );
  });

  it('names at its end what Skep does not know, and no line of it can become a key', () => {
    const text = textOf({ colour: 1, 'x\nagents: {evil: {command: sh}}': 2 }, { SKEP_HOME: '/s', OTHER: '1' });

    expect(text).toBe(`${textOf({})}# Not taken over:
#   colour: Skep knows no such key
#   x\\u000aagents: {evil: {command: sh}}: Skep knows no such key
#   SKEP_HOME: Skep knows no such key
`);
  });

  it('names a few of a thousand strange keys', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n]));

    expect(textOf(many)).toContain('#   k19: Skep knows no such key\n#   980 more: Skep knows no such key\n');
  });
});

describe('a config of this version', () => {
  it('names what has no key here, and takes nothing of a key by half', () => {
    const { text, notTaken } = made(EVERYTHING, VARIABLES_SET);
    const missing = notTaken.flatMap(({ keys }) => keys).filter((key) => key !== 'preset');

    expect(missing.filter((key) => lookUpKey({ key, value: key.endsWith('enabled') }).kind === 'taken')).toEqual([]);
    const named = notTaken.filter(
      ({ name, keys }) => text.includes(`#   ${name}: `) && text.includes(`(${keys.join(', ')})`),
    );
    expect(named).toEqual(notTaken);
    expect(text).toMatch(/^ {2}gemini:$/m);
  });

  it.each([
    ['of nothing', {}, {}],
    ['of everything', EVERYTHING, VARIABLES_SET],
    ...['claude', 'codex', 'opencode', 'gemini'].map(
      (llm) => [`of ${llm} with a model`, { llm, model: 'm-1' }, {}] as const,
    ),
    ['of a command with every kind of sign', { test_cmd: 'a: "b" \'c\' # d \u0001 \n- e: {f}' }, {}],
  ])('is accepted: %s', (_, config, env) => {
    const { text } = made(config, env);

    const { policy } = resolvePolicy({ project: { text, name: '.sluice/config.yaml', isTrusted: true } });

    expect(Object.keys(policy.agents)).toContain('llm' in config ? config.llm : 'claude');
    expect(policy.checks.validation.commands).toEqual('test_cmd' in config ? [config.test_cmd] : []);
  });

  it('has the values that Skep was told', () => {
    const { text } = made(EVERYTHING, VARIABLES_SET);

    const { policy } = resolvePolicy({ project: { text, name: '.sluice/config.yaml', isTrusted: true } });

    expect(policy.agents['codex']).toMatchObject({ adapter: 'codex', model: 'gpt-5-codex' });
    expect(policy.asks.classify).toMatchObject({ agent: 'claude', model: 'haiku', timeoutMs: 90_000 });
    expect(policy.asks.plan).toMatchObject({ agent: 'codex', model: 'gpt-5-codex', timeoutMs: 90_000 });
    expect(policy.admission.autoExecuteSmall).toBe(true);
  });
});

describe('what Skep was told', () => {
  it.each<[string, unknown, string, string]>([
    ['llm', 'cat', 'llm is cat', 'must be one of claude, codex, opencode, gemini'],
    ['llm_classify', 1, 'llm_classify is 1', 'must be one of claude'],
    ['llm_dedup', null, 'llm_dedup is null', 'must be one of claude'],
    ['model', ['a'], 'model is ["a"]', 'must be a name of letters'],
    ['model_classify', 'a b', 'model_classify is "a b"', 'must be a name of letters'],
    ['model_dedup', {}, 'model_dedup is {}', 'must be a name of letters'],
    ['test_cmd', ['npm', 'test'], 'test_cmd is ["npm","test"]', 'must be a command line'],
    ['test_cmd', '  ', 'test_cmd is "  "', 'must be a command line'],
    ['auto_execute_small', 'yes', 'auto_execute_small is yes', 'must be true or false'],
    ['approval_watchdog', 1, 'approval_watchdog is 1', 'must be true or false'],
    ['approval_patterns', 'a', 'approval_patterns is a', 'must be a list of at most 100 regular expressions'],
    [
      'approval_patterns',
      ['a', '('],
      'approval_patterns.1 is "("',
      'must be a list of at most 100 regular expressions',
    ],
    ['approval_patterns', [''], 'approval_patterns.0 is ""', 'must be a list of at most 100 regular expressions'],
    ['step_model_by_verb', { sing: 'a' }, 'step_model_by_verb', 'must be a mapping of verbs (add, modify'],
    ['step_model_by_verb', { add: 1 }, 'step_model_by_verb.add is 1', 'must be a name of letters'],
    ['tmux_layout', 'round', 'tmux_layout is round', 'must be one of split-h, split-v, window, popup'],
  ])('is refused with its file, key and rule: %s', (key, value, found, rule) => {
    const error = refused(() => read({ [key]: value }));

    expect(error.message).toContain(`${SKEP_CONFIG}: ${found}`);
    expect(error.message).toContain(rule);
    expect(error.field.split('.')[0]).toBe(key);
  });

  it.each([
    ['SKEP_CLASSIFY_TIMEOUT', '3m', 'must be a whole number of seconds from 1 to 3600'],
    ['SKEP_DEDUP_TIMEOUT', '3601', 'must be a whole number of seconds from 1 to 3600'],
    ['SKEP_CLASSIFY_MCP', 'maybe', 'must be one of 1, true, on, yes, 0, false, off, no'],
    ['SKEP_PLAN_MCP', '2', 'must be one of 1, true'],
    ['SKEP_DEDUP_BM25_THRESHOLD', '0', 'must be a number above 0, at most 1'],
    ['SKEP_DEDUP_TRIGRAM_THRESHOLD', '1.01', 'must be a number above 0, at most 1'],
    ['SKEP_DEDUP_TFIDF_THRESHOLD', 'NaN', 'must be a number above 0, at most 1'],
    ['SKEP_DEDUP_MINHASH_THRESHOLD', '1e-1', 'must be a number above 0, at most 1'],
  ])('is refused with its variable and rule: %s', (name, value, rule) => {
    const error = refused(() => read({}, { [name]: value }));

    expect(error.message).toContain(`environment: ${name} is ${value}`);
    expect(error.message).toContain(rule);
    expect(error.parts.mend).toContain(`unset ${name}`);
  });

  it('is refused with all that is wrong at once', () => {
    const { problems } = refused(() => read({ llm: 1, tmux_layout: 2 }, { SKEP_PLAN_MCP: 'x' }));

    expect(problems.map(({ key }) => key)).toEqual(['llm', 'tmux_layout', 'SKEP_PLAN_MCP']);
  });

  it('is refused by the key that it becomes, under its own name', () => {
    const refusing = () => ({ kind: 'refused', path: [], message: 'must be shorter' }) as const;
    const skep = read({ model: 'm' });

    const error = refused(() =>
      makeConfig({ from: SKEP_CONFIG, skep, detected: NOTHING }, (one) =>
        one.key.endsWith('.model') ? refusing() : allKeys(),
      ),
    );

    expect(error.message).toContain(`${SKEP_CONFIG}: model is m`);
    expect(error.message).toContain('must be shorter');
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'is not JSON'],
    ['no object', '[]', 'is no object'],
    ['nothing', 'null', 'is no object'],
    ['no text', Buffer.from([0x22, 0xff, 0x22]), 'is not UTF-8 text'],
    ['too much', ' '.repeat(65_537), 'has 65537 bytes'],
  ])('is refused where the file has %s', (_, content, found) => {
    expect(refused(() => read(content)).message).toContain(`${SKEP_CONFIG}: ${found}`);
  });

  it('is refused where there is no file, or a link, a folder or a FIFO in its place', () => {
    expect(refused(() => readSkep(file(), {})).message).toContain(`${SKEP_CONFIG}: is not there`);
    const kinds: readonly (() => unknown)[] = [
      () => symlinkSync('/etc/hostname', path),
      () => mkdirSync(path),
      () => execFileSync('mkfifo', [path]),
    ];
    for (const make of kinds) {
      path = join(freshFolder(), SKEP_CONFIG);
      mkdirSync(dirname(path));
      make();

      expect(refused(() => readSkep(file(), {})).message).toContain(`${SKEP_CONFIG}: cannot be read`);
    }
  });

  it('is not looked for behind a folder that is a link, unless a person names it', () => {
    writeFileSync(path, '{}');
    const linked = join(freshFolder(), '.skep');
    symlinkSync(dirname(path), linked);
    const there = { path: join(linked, 'config.json'), name: SKEP_CONFIG };

    expect(refused(() => readSkep({ ...there, isOwn: true }, {})).message).toContain('lies behind a link');
    expect(readSkep({ ...there, isOwn: false }, {})).toEqual({ told: [], unknown: [] });
  });
});

describe('the table of its keys', () => {
  it('is of every key and variable that the page names', () => {
    expect(Object.keys(FILE_KEYS).toSorted()).toEqual(Object.keys(EVERYTHING).toSorted());
    expect(Object.keys(VARIABLES).toSorted()).toEqual(Object.keys(VARIABLES_SET).toSorted());
  });
});
