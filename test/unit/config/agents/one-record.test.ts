/** What is known of a coding CLI stands in its record, so that another one touches its record, its adapter, and these lists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AGENT_KINDS } from '../../../../config/agents/kinds.js';

const ROOT = join(import.meta.dirname, '../../../..');
const PRODUCT = ['protocol', 'config', 'wire', 'workflows', 'activities', 'worker', 'client'];

/** The three files that another CLI changes. */
const LISTS = ['activities/agent/agent-adapters.ts', 'config/agents/kinds.ts', 'protocol/run/policy.ts'];

/** Files that a change may not touch unasked, of CLIs that sluice does not know too; and an example in a message. */
const OTHERS = ['config/keys/guarded-paths.ts', 'config/resolve/resolve-agents.ts'];

const NAMES = AGENT_KINDS.flatMap(({ adapter, program }) => (program === null ? [] : [adapter, program])).filter(
  (name) => name !== 'acp',
);
const NAMED = new RegExp(NAMES.join('|'), 'i');

const isOwn = (file: string) =>
  NAMES.some((name) => file === `config/agents/${name}.ts` || file.startsWith(`activities/agent/adapters/${name}/`));

describe('a coding CLI', () => {
  it('is named in its record, its adapter and three lists alone', () => {
    const files = PRODUCT.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    ).filter((file) => file.endsWith('.ts') && !isOwn(file) && !OTHERS.includes(file));

    expect(files.filter((file) => NAMED.test(withoutComments(readFileSync(join(ROOT, file), 'utf8')))).sort()).toEqual(
      LISTS,
    );
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
