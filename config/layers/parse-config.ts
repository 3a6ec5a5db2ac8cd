/**
 * A config file, or the run-level policy of a start input, to a layer: one checked entry per key, each with its place.
 * Whatever would have no effect is an error here. Which layer wins is decided in resolve-policy.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import { Document, isAlias, isCollection, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { type KeyMatch, matchKey } from '../keys/key-match.js';
import type { KeyRow } from '../keys/key-table.js';
import { KEYS, type KeyName, type KeyValue, SHORTHANDS } from '../keys/keys.js';
import {
  ConfigError,
  type ConfigFailure,
  type Problem,
  printableLine,
  problem,
  refuse,
  shownValue,
} from '../system/config-error.js';
import { type ConfigTree, type PlacedText, parseConfigText } from '../system/config-text.js';

/** Highest first. `untrusted`: the file of a project, where nobody trusted its text. */
export type LayerKind = 'run input' | 'project' | 'user' | 'untrusted' | 'preset';

interface Entry {
  readonly pattern: KeyName;
  readonly value: unknown;
  /** `file:line:column`, or the field of the start input. */
  readonly place: string;
}

/** What one source says. **Shape** keys of `entries` are dotted, with stage and agent names filled in. */
export interface Layer {
  readonly kind: LayerKind;
  /** What stands before the name of every field: `policy` in a start input. */
  readonly prefix: string;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** **Errors** ConfigError with every problem of the text. */
export function parseConfigFile(kind: 'project' | 'user' | 'untrusted', source: PlacedText): Layer {
  const tree = parseConfigText(source);
  return readTree(kind, tree);
}

/** Policy that came as data. **Errors** ConfigError of type BadInput whose `field` names the field. */
export function parseConfigValue(kind: 'run input' | 'preset', value: unknown, prefix: string): Layer {
  const own = findProtoKey(value, 0);
  if (own !== null) {
    throw new ConfigError([
      problem('BadInput', kind, {
        key: prefix,
        found: `${prefix} ${own}`,
        rule: 'must be a plain mapping of config keys',
        mend: MEND_INPUT,
      }),
    ]);
  }
  const tree: ConfigTree = {
    document: new Document(value, { aliasDuplicateObjects: false }),
    at: () => (kind === 'preset' ? prefix : kind),
  };
  return readTree(kind, tree, prefix);
}

/** The value of a key in a layer. `key` is the pattern with its placeholder filled in; the pattern itself if it has none. */
export function valueIn<K extends KeyName>(
  layer: Layer,
  pattern: K,
  key: string = pattern,
): { value: KeyValue<K>; place: string } | null {
  const entry = layer.entries.get(key);
  if (entry === undefined || entry.pattern !== pattern) return null;
  // The entry was made by this pattern's own schema.
  return { value: entry.value as KeyValue<K>, place: entry.place };
}

/** A fault of a key that shows only beside other keys or layers. `key`: where the pattern has a name in it. */
export function problemOf(
  layer: Layer,
  pattern: KeyName,
  { key = pattern, ...fault }: { readonly found: string; readonly rule: string; readonly key?: string },
): Problem {
  const place = layer.entries.get(key)?.place ?? layer.kind;
  if (!isInput(layer.kind)) return problem('BadConfig', place, { ...fault, key });
  return problem('BadInput', place, { ...fault, key: fieldOf(layer, key), mend: MEND_INPUT });
}

/** Of such a layer a place has a line. */
export function isFile(kind: LayerKind): boolean {
  return kind === 'project' || kind === 'user' || kind === 'untrusted';
}

/** True if a file with this layer could start a program or move a file of the checkout: it needs trust. */
export function executes(layer: Layer): boolean {
  return [...layer.entries.values()].some(({ pattern }) => KEYS[pattern].executes);
}

const MAX_PROBLEMS = 50;

const MEND_INPUT = 'Correct the start input; its keys are in docs/config.md';

interface Reading {
  readonly kind: LayerKind;
  readonly type: ConfigFailure;
  readonly tree: ConfigTree;
  /** Before every field name: `policy.` in a start input. */
  readonly prefix: string;
  readonly entries: Map<string, Entry>;
  readonly places: Map<string, string>;
  readonly problems: Problem[];
}

function readTree(kind: LayerKind, tree: ConfigTree, prefix = ''): Layer {
  const type = isInput(kind) ? 'BadInput' : 'BadConfig';
  const reading: Reading = { kind, type, tree, prefix, entries: new Map(), places: new Map(), problems: [] };
  const root = tree.document.contents;
  if (isMap(root)) walk(reading, root, []);
  else if (root !== null && !(isScalar(root) && root.value === null)) {
    report(reading, root, {
      key: prefix,
      found: `the content is ${kindOf(root)}`,
      rule: 'must be a mapping of config keys',
    });
  }
  refuse(reading.problems);
  return { kind, prefix, entries: reading.entries };
}

function isInput(kind: LayerKind): boolean {
  return kind === 'run input';
}

function walk(reading: Reading, node: Node, parents: readonly string[]): void {
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    // Every unknown key is compared with all known ones; a file of thousands would hold the process for minutes.
    if (reading.problems.length >= MAX_PROBLEMS) return;
    const keyNode = isNode(key) ? key : null;
    const path = [...parents, String(isScalar(key) ? key.value : key)];
    const valueNode = resolved(reading, isNode(value) ? value : null);
    const match = sectionOrKey(matchKey(path), path, valueNode);
    switch (match.kind) {
      case 'section':
        readSection(reading, { path, keyNode, valueNode });
        break;
      case 'unknown':
        report(reading, keyNode, {
          key: path.join('.'),
          found: `unknown key ${printableLine(path.join('.'))}`,
          rule: match.rule,
        });
        break;
      case 'coming':
        readComing(reading, { match, path, keyNode, valueNode });
        break;
      case 'key':
        readKey(reading, { match, path, keyNode, valueNode });
        break;
    }
  }
}

interface Found<M> {
  readonly match: M;
  readonly path: readonly string[];
  readonly keyNode: Node | null;
  readonly valueNode: Node | null;
}

function sectionOrKey(match: KeyMatch, path: readonly string[], value: Node | null): KeyMatch {
  const short = SHORTHANDS[path.join('.')];
  const isShort =
    match.kind === 'section' && short !== undefined && value !== null && !isMap(value) && plainScalar(value) !== null;
  return isShort ? matchKey(short.split('.')) : match;
}

function readSection(reading: Reading, { path, keyNode, valueNode }: Omit<Found<never>, 'match'>): void {
  if (isMap(valueNode)) return walk(reading, valueNode, path);
  // A section whose keys are all commented out is empty, not wrong.
  if (valueNode === null || plainScalar(valueNode) === null) return;
  const key = path.join('.');
  report(reading, valueNode ?? keyNode, {
    key,
    found: `${key} is ${kindOf(valueNode)}`,
    rule: 'must be a mapping',
  });
}

function readComing(reading: Reading, found: Found<Extract<KeyMatch, { kind: 'coming' }>>): void {
  const { match, path, keyNode, valueNode } = found;
  if (isDoubled(reading, match.key, keyNode)) return;
  const value = plain(reading, valueNode);
  const { inForce, meaning } = match.row;
  if (inForce.some((harmless) => isDeepStrictEqual(harmless, value))) return;
  const accepted = inForce.length === 0 ? '' : `; accepted now: ${inForce.map(shownValue).join(', ')}`;
  const key = path.join('.');
  report(reading, valueNode ?? keyNode, {
    key,
    found: `${key} is ${shownValue(value)}`,
    rule: `${key} is not available in this version (it will set ${meaning})${accepted}`,
    mend:
      reading.type === 'BadInput' ? MEND_INPUT : `Remove ${key} from ${fileOf(reading, keyNode)}, then: sluice config`,
  });
}

function readKey(reading: Reading, found: Found<Extract<KeyMatch, { kind: 'key' }>>): void {
  const { match, path, keyNode, valueNode } = found;
  const { pattern, key, alias } = match;
  const row = rowOf(pattern);
  const named = path.join('.');
  const scopeRule = badScope(row, reading.kind);
  if (scopeRule !== null) return report(reading, keyNode, { key: named, found: `${named} is set`, rule: scopeRule });
  if (isDoubled(reading, key, keyNode)) return;
  const schema = row.aliases.find(({ path: spelled }) => spelled === alias)?.schema ?? row.schema;
  const result = schema.safeParse(plain(reading, valueNode));
  if (result.success) {
    reading.entries.set(key, { pattern, value: result.data, place: placeOf(reading, keyNode, key) });
    return;
  }
  for (const { path: below, message } of result.error.issues.slice(0, MAX_PROBLEMS)) {
    const exact = nodeAt(valueNode, below);
    const value = exact === null && below.length > 0 ? undefined : plain(reading, exact);
    const shown = row.hides(below, value) ? 'a value that is not shown' : shownValue(value);
    const field = [named, ...below].map(String).join('.');
    const at = exact ?? nodeAt(valueNode, below.slice(0, -1)) ?? valueNode ?? keyNode;
    report(reading, at, { key: field, found: `${printableLine(field)} is ${shown}`, rule: message });
  }
}

/** Null where the value has no such entry: a fault can be what is missing. */
function nodeAt(value: Node | null, path: readonly PropertyKey[]): Node | null {
  if (path.length === 0) return value;
  const node = isCollection(value) ? value.getIn(path, true) : null;
  return isNode(node) ? node : null;
}

/** Run input chooses names and lowers limits; what executes, weakens or belongs to the host comes from files. */
function badScope(row: KeyRow<unknown>, kind: LayerKind): string | null {
  if (kind === 'preset' || kind === 'user' || row.scope === 'any') return null;
  if (row.scope === 'user') return "may stand in the user's file only (~/.config/sluice/config.yaml)";
  return isInput(kind) ? 'comes from config files only; a start input chooses names and lowers limits' : null;
}

function isDoubled(reading: Reading, key: string, keyNode: Node | null): boolean {
  const place = placeOf(reading, keyNode, key);
  const first = reading.places.get(key);
  reading.places.set(key, place);
  if (first === undefined) return false;
  report(reading, keyNode, {
    key,
    found: `${key} is set here and at ${first}, in two spellings`,
    rule: 'a key must stand once, in one spelling',
  });
  return true;
}

function report(
  reading: Reading,
  node: Node | null,
  rest: { key: string; found: string; rule: string; mend?: string },
): void {
  const isOfInput = reading.type === 'BadInput';
  const key = isOfInput ? fieldOf(reading, rest.key) : rest.key;
  const mend = rest.mend ?? (isOfInput ? MEND_INPUT : undefined);
  reading.problems.push(
    problem(reading.type, placeOf(reading, node, rest.key), { ...rest, key, ...(mend === undefined ? {} : { mend }) }),
  );
}

function placeOf(reading: Reading, node: Node | null, key: string): string {
  const place = reading.tree.at(node);
  return isFile(reading.kind) ? place : `${place}: ${printableLine(fieldOf(reading, key))}`;
}

function fieldOf({ prefix }: Pick<Layer, 'prefix'>, key: string): string {
  // RunInput has `preset` beside `policy`.
  return key === 'preset' || key.startsWith(prefix) ? key : `${prefix}.${key}`;
}

function fileOf(reading: Reading, node: Node | null): string {
  return reading.tree.at(node).replace(/:\d+:\d+$/, '');
}

function rowOf(pattern: KeyName): KeyRow<unknown> {
  return KEYS[pattern];
}

function resolved(reading: Reading, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(reading.tree.document) ?? null) : node;
}

function plain(reading: Reading, node: Node | null): unknown {
  return node === null ? null : node.toJS(reading.tree.document, { maxAliasCount: -1 });
}

/** No more of what stands where a mapping should: below it, keys that hide their values may stand. */
function kindOf(node: Node): string {
  return isSeq(node) ? 'a list' : `a ${isScalar(node) ? typeof node.value : 'mapping'}`;
}

/** Null for the empty value, the value or the node itself otherwise. */
function plainScalar(node: Node): unknown {
  return isScalar(node) ? node.value : node;
}

/** A start input is data of others: only plain JSON, of a depth that recursion can hold. */
function findProtoKey(value: unknown, depth: number): string | null {
  if (depth > 20) return 'is nested too deeply';
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, '__proto__')) return 'has the key __proto__';
  for (const inner of Object.values(value)) {
    const found = findProtoKey(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
