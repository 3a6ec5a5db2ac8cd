/**
 * The rows of `sluice config`: each key with its value in force and where it comes from. What may be a secret is not shown: the row of its key says
 * how it is.
 */

import type { AgentConfig } from '../../protocol/run/policy.js';
import type { Json } from '../../protocol/text/json.js';
import { formatByteSize } from '../keys/byte-size.js';
import { formatDuration } from '../keys/duration.js';
import { matchKey } from '../keys/key-match.js';
import type { KeyRow, KeyUnit } from '../keys/key-table.js';
import { KEYS } from '../keys/keys.js';
import { patternsOf } from '../layers/read-keys.js';
import { printableLine } from '../system/config-error.js';
import type { ResolvedPolicy } from './resolve-policy.js';

/** **Shape** `value` as a config file would write it; `text` is one printable line of it. */
export interface ConfigRow {
  readonly key: string;
  readonly value: Json;
  readonly text: string;
  readonly origin: string;
}

const SECTIONS = [...new Set(Object.keys(KEYS).map(sectionOf))];

export function explainConfig({ policy, values }: Pick<ResolvedPolicy, 'policy' | 'values'>): readonly ConfigRow[] {
  const rows = Object.entries(values).map(([key, { value, origin }]): ConfigRow => {
    const match = matchKey(key.split('.'));
    const shown =
      match.kind === 'key'
        ? showValue(KEYS[match.pattern], value)
        : showAgent(policy.agents[key.replace('agents.', '')]);
    return { key, value: shown, text: textOf(shown), origin };
  });
  return rows.toSorted((one, other) => SECTIONS.indexOf(sectionOf(one.key)) - SECTIONS.indexOf(sectionOf(other.key)));
}

function showAgent(agent: AgentConfig | undefined): Json {
  const shown = patternsOf('agents.<name>').flatMap((pattern) => {
    const value = agent?.[KEYS[pattern].at];
    return value === undefined ? [] : [[KEYS[pattern].at, showValue(KEYS[pattern], value)]];
  });
  return Object.fromEntries(shown);
}

function showValue({ show, unit, none }: KeyRow<unknown>, value: unknown): Json {
  if (value === null) return none;
  if (show !== null) return show(value);
  if (typeof value === 'number' && unit !== null) return formatUnit(unit, value);
  // What a schema answers and no row shows otherwise is as it was written.
  return value as Json;
}

/** As a config file writes it. */
export function formatUnit(unit: KeyUnit, value: number): string | number {
  switch (unit) {
    case 'duration':
      return value === 0 ? 0 : formatDuration(value);
    case 'bytes':
      return formatByteSize(value);
    case 'usd':
      return value / 1_000_000;
  }
}

function sectionOf(key: string): string {
  return key.split('.')[0] ?? key;
}

function textOf(value: Json): string {
  if (value === null) return 'none';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return printableLine(typeof value === 'string' ? value : JSON.stringify(value), 400);
}
