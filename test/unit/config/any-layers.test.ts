/** Any config texts, start inputs together: which value wins, whatever their order, style and faults. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { formatDuration } from '../../../config/keys/duration.js';
import { parseConfigFile } from '../../../config/layers/parse-config.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { PERMISSION_MODES, type Policy } from '../../../protocol/run/policy.js';

const PROJECT = '.sluice/config.yaml';
const AGENT = { agents: { main: { command: ['prog'] } } };

/** A key, what a file may say there, and where the policy has it. */
interface Key {
  readonly path: string;
  readonly value: fc.Arbitrary<unknown>;
  readonly of: (policy: Policy) => unknown;
  /** What the policy has for a written value; the value itself if not given. */
  readonly meant?: (written: unknown) => unknown;
}

interface StricterKey extends Key {
  /** The policy's value where nobody says anything. */
  readonly fallback: unknown;
  /** The smaller the stricter; of what the policy has. */
  readonly rank: (value: unknown) => number;
}

const asNumber = (value: unknown) => (value === null ? Number.POSITIVE_INFINITY : Number(value));
/** Made from whole milliseconds, so that what was meant is known. */
const written = new Map<unknown, number>();
const duration = (min: number) =>
  fc.integer({ min, max: 200_000 }).map((ms) => {
    const text = formatDuration(ms);
    written.set(text, ms);
    return text;
  });
const time = (path: string, of: (policy: Policy) => unknown, fallback: number, min = 1000): StricterKey => ({
  path,
  value: duration(min),
  of,
  meant: (text) => written.get(text),
  fallback,
  rank: asNumber,
});

const STRICTER: readonly StricterKey[] = [
  time('limits.stall', ({ limits }) => limits.stallMs, 600_000),
  time('limits.killGrace', ({ limits }) => limits.killGraceMs, 3000, 10),
  time('limits.heartbeat', ({ limits }) => limits.heartbeatMs, 10_000),
  time('worktree.setupTimeout', ({ worktree }) => worktree.setupTimeoutMs, 900_000),
  time('validation.timeout', ({ checks }) => checks.validation.timeoutMs, 900_000),
  time('usageLimit.maxWait', ({ usageLimit }) => usageLimit.maxWaitMs, 86_400_000),
  {
    path: 'usageLimit.maxWaits',
    value: fc.nat(100),
    of: ({ usageLimit }) => usageLimit.maxWaits,
    fallback: 2,
    rank: asNumber,
  },
  {
    path: 'gates.maxChangeRounds',
    value: fc.nat(20),
    of: ({ gates }) => gates.maxChangeRounds,
    fallback: 3,
    rank: asNumber,
  },
  {
    path: 'budget.run.turns',
    value: fc.integer({ min: 1, max: 99 }),
    of: ({ budget }) => budget.turns,
    fallback: null,
    rank: asNumber,
  },
  {
    path: 'budget.run.minutes',
    value: fc.integer({ min: 1, max: 99 }),
    of: ({ budget }) => budget.minutes,
    fallback: null,
    rank: asNumber,
  },
  {
    path: 'limits.outputBytes',
    value: fc.integer({ min: 2, max: 400 }).map((size) => `${size}MB`),
    of: ({ limits }) => limits.outputBytes,
    meant: (text) => Number.parseInt(String(text), 10) * 1_000_000,
    fallback: 200_000_000,
    rank: asNumber,
  },
  {
    path: 'permissions',
    value: fc.constantFrom(...PERMISSION_MODES),
    of: ({ permissions }) => permissions,
    fallback: 'auto',
    rank: (mode) => PERMISSION_MODES.findIndex((known) => known === mode),
  },
  {
    path: 'holdAtCompletion',
    value: fc.boolean(),
    of: (policy) => policy.holdAtCompletion,
    fallback: false,
    rank: (holds) => (holds === true ? 0 : 1),
  },
];

const FIRST: readonly (Key & { readonly fallback: unknown })[] = [
  { path: 'rounds', value: fc.nat(20), of: ({ rounds }) => rounds, fallback: 2 },
  { path: 'attended', value: fc.boolean(), of: ({ attended }) => attended, fallback: null },
  {
    path: 'budget.onLimit',
    value: fc.constantFrom('stop', 'pause'),
    of: ({ budget }) => budget.onLimit,
    fallback: 'stop',
  },
  {
    path: 'usageLimit.action',
    value: fc.constantFrom('wait', 'fallback', 'stop'),
    of: ({ usageLimit }) => usageLimit.action,
    fallback: 'wait',
  },
  {
    path: 'validation.onFailure',
    value: fc.constantFrom('fix', 'review'),
    of: ({ checks }) => checks.validation.onFailure,
    fallback: 'fix',
  },
  { ...time('gates.remind', ({ gates }) => gates.remindMs, 0), fallback: null },
  { ...time('gates.escalate', ({ gates }) => gates.escalateMs, 0), fallback: null },
  { ...time('gates.expire', ({ gates }) => gates.expireMs, 0), fallback: null },
];

const KEYS: readonly Key[] = [...STRICTER, ...FIRST];

/** What one source says: some of the keys. */
type Said = Readonly<Record<string, unknown>>;

const said: fc.Arbitrary<Said> = fc.record(Object.fromEntries(KEYS.map(({ path, value }) => [path, value])), {
  requiredKeys: [],
});
/** Most keys are left out, so that each layer has its say somewhere. */
const source = fc.tuple(said, fc.subarray(KEYS.map(({ path }) => path))).map(([all, some]) => only(all, some));
const sources = fc.record({ input: source, project: source, user: source });

interface Sources {
  readonly input: Said;
  readonly project: Said;
  readonly user: Said;
}

function resolved({ input, project, user }: Sources): Policy {
  return resolvePolicy({
    runInput: { policy: nested(input) },
    project: { name: PROJECT, text: stringify({ ...AGENT, ...nested(project) }), isTrusted: true },
    user: { name: 'user.yaml', text: stringify(nested(user)) },
  }).policy;
}

describe('a policy', () => {
  it('has the value of the highest source that has one: run input, project, user', () => {
    fc.assert(
      fc.property(sources, (from) => {
        const policy = resolved(from);

        for (const { path, of, meant = same, fallback } of FIRST) {
          const layer = [from.input, from.project, from.user].find((one) => path in one);
          expect([path, of(policy)]).toEqual([path, layer === undefined ? fallback : meant(layer[path])]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has the strictest limit of the files, and a stricter one still where run input says so', () => {
    fc.assert(
      fc.property(sources, (from) => {
        const policy = resolved(from);

        for (const { path, of, meant = same, fallback, rank } of STRICTER) {
          const inFiles = [from.project, from.user].filter((one) => path in one).map((one) => rank(meant(one[path])));
          const inInputs = [from.input].filter((one) => path in one).map((one) => rank(meant(one[path])));
          const base = inFiles.length === 0 ? rank(fallback) : Math.min(...inFiles);
          expect([path, rank(of(policy))]).toEqual([path, Math.min(base, ...inInputs)]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is the same whatever the order of the keys and the style of the file', () => {
    fc.assert(
      fc.property(
        sources,
        fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
        fc.constantFrom('yaml', 'json', 'flow'),
        (from, order, style) => {
          const text = asText(shuffled({ ...AGENT, ...nested(from.project) }, order), style);
          const other = resolvePolicy({
            user: { name: 'user.yaml', text: asText(shuffled(nested(from.user), order), style) },
            project: { name: PROJECT, text, isTrusted: true },
            runInput: { policy: shuffled(nested(from.input), order) },
          });

          expect(other.policy).toEqual(resolved(from));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not change where a source says again what is in force, or says it in two layers', () => {
    fc.assert(
      fc.property(sources, (from) => {
        const once = resolved({ ...from, user: {} });

        expect(resolved({ ...from, user: from.project })).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a config text', () => {
  const sections = fc.constantFrom(
    '',
    'limits',
    'gates',
    'validation',
    'worktree',
    'budget.run',
    'usageLimit',
    'stages.executing',
    'agents.main',
  );
  /** Names that the prototype of every object has, and others that nobody knows. */
  const unknown = fc.constantFrom(
    'constructor',
    'toString',
    'hasOwnProperty',
    'prototype',
    'valueOf',
    'nobodyKnows',
    'lImits',
    'a.b',
    'größe',
    '1',
  );

  it('with an unknown key is refused, and the key is named with line and column', () => {
    fc.assert(
      fc.property(
        said,
        sections,
        unknown,
        fc.nat(),
        fc.constantFrom('yaml', 'json', 'flow'),
        (rest, section, name, at, style) => {
          const parts = section === '' ? [] : section.split('.');
          const text = asText(withKey({ ...AGENT, ...nested(rest) }, [...parts, name], at), style);
          const quoted = new RegExp(`(^|[\\s{,])(["']?)${name.replace('.', '\\.')}\\2:`, 'm');
          const found = quoted.exec(text);
          const offset = (found?.index ?? 0) + (found?.[1]?.length ?? 0);
          const before = text.slice(0, offset).split('\n');
          const place = `${PROJECT}:${before.length}:${(before.at(-1) ?? '').length + 1}`;

          expect(refusal(text).map((problem) => problem.place)).toContain(place);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    '__proto__: {polluted: 1}',
    'agents: {__proto__: {command: x}}',
    'limits: {"__proto__": {stall: 1s}}',
    '? __proto__\n: {polluted: 1}',
  ])('changes no prototype: %j', (text) => {
    expect(refusal(text).length).toBeGreaterThan(0);
    expect(() =>
      resolvePolicy({
        runInput: { policy: JSON.parse('{"limits":{"__proto__":{"stall":"1s"}}}') as Record<string, unknown> },
      }),
    ).toThrow(ConfigError);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('of any form is read, or refused with a place in it, and changes no prototype', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        'limits',
        ': ',
        '\n',
        '  ',
        '{',
        '}',
        '[',
        ']',
        '- ',
        '&a ',
        '*a',
        '!!js ',
        '"',
        "'",
        '|',
        '>',
        '#',
        '? ',
        '__proto__',
        '<<',
        '\t',
        '%YAML 1.1\n---\n',
        '\0',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        for (const problem of refusal(pieces.join('')))
          expect(problem.place).toMatch(/^\.sluice\/config\.yaml:[1-9]\d*:[1-9]\d*$/);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('that came as data is read or refused by field, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (policy) => {
        try {
          resolvePolicy({
            runInput: { policy: policy as Record<string, unknown> },
            user: { name: 'user.yaml', text: stringify(AGENT) },
          });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** None where the text was accepted. */
function refusal(text: string): ConfigError['problems'] | readonly [] {
  try {
    parseConfigFile('project', { name: PROJECT, text });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function same(value: unknown): unknown {
  return value;
}

function only(all: Said, paths: readonly string[]): Said {
  return Object.fromEntries(Object.entries(all).filter(([path]) => paths.includes(path)));
}

type Tree = { [key: string]: unknown };

/** `{'limits.stall': x}` becomes `{limits: {stall: x}}`. */
function nested(flat: Said): Tree {
  const tree: Tree = {};
  for (const [path, value] of Object.entries(flat)) {
    let at = tree;
    const parts = path.split('.');
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Tree; // Just made.
    }
    at[parts.at(-1) ?? ''] = value;
  }
  return tree;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shuffled(tree: Tree, order: readonly number[]): Tree {
  const entries = Object.entries(tree).map(([key, value], index) => ({
    key,
    value,
    at: ((order[index % order.length] ?? 0) * (index + 7)) % 101,
  }));
  entries.sort((one, other) => one.at - other.at);
  return Object.fromEntries(entries.map(({ key, value }) => [key, isTree(value) ? shuffled(value, order) : value]));
}

function asText(tree: Tree, style: string): string {
  if (style === 'json') return JSON.stringify(tree, null, 2);
  return style === 'flow' ? stringify(tree, { collectionStyle: 'flow' }) : stringify(tree);
}

/** With one more key at any place of its section. */
function withKey(tree: Tree, [part = '', ...rest]: readonly string[], at: number): Tree {
  if (rest.length > 0) {
    const inner = tree[part];
    return { ...tree, [part]: withKey(isTree(inner) ? inner : {}, rest, at) };
  }
  const entries = Object.entries(tree);
  const place = at % (entries.length + 1);
  return Object.fromEntries([...entries.slice(0, place), [part, 'x'], ...entries.slice(place)]);
}
