import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { WorkflowClient } from '@temporalio/client';
import { HAND_OVER_SIGNAL } from '../../../protocol/names.js';
import { askToHandOver } from '../../../worker/ask-to-hand-over.js';

interface Open {
  readonly workflowId: string;
  readonly type: string;
  readonly memo?: Record<string, unknown>;
}

const OPEN: readonly Open[] = [
  { workflowId: 'quota:a/1', type: 'quota-gate', memo: { rules: 1 } },
  { workflowId: 'quota:a/2', type: 'quota-gate', memo: { rules: 2 } },
  { workflowId: 'quota:a/3', type: 'quota-gate' },
  { workflowId: 'budget:p', type: 'budget', memo: { rules: 1 } },
];

/** A server with these open workflows, of which `gone` has ended since they were listed. */
function serverWith(open: readonly Open[], gone = '') {
  const signals: string[] = [];
  const queries: string[] = [];
  const workflow = {
    async *list({ query }: { query: string }) {
      queries.push(query);
      yield* open.filter(({ type }) => query.includes(`"${type}"`));
    },
    getHandle: (workflowId: string) => ({
      signal: async (name: string) => {
        if (workflowId === gone) throw new Error('not found');
        signals.push(`${name} to ${workflowId}`);
      },
    }),
  } as unknown as WorkflowClient; // The two calls that are made.
  return { workflow, signals, queries };
}

const warn = () => undefined;

describe('an upgrade', () => {
  it('asks those that decide by older rules to hand over, and no other', async () => {
    const { workflow, signals } = serverWith(OPEN);
    await askToHandOver(workflow, warn, { 'quota-gate': 2, budget: 2 });

    expect(signals).toEqual(['quota:a/1', 'quota:a/3', 'budget:p'].map((id) => `${HAND_OVER_SIGNAL} to ${id}`));
  });

  it('goes on past one that has ended meanwhile', async () => {
    const { workflow, signals } = serverWith(OPEN, 'quota:a/1');
    await askToHandOver(workflow, warn, { 'quota-gate': 2, budget: 1 });

    expect(signals).toEqual([`${HAND_OVER_SIGNAL} to quota:a/3`]);
  });

  it('asks the server nothing while there are no older rules', async () => {
    const { workflow, queries } = serverWith(OPEN);
    await askToHandOver(workflow, warn);

    expect(queries).toEqual([]);
  });

  it('knows the rules of every long-lived workflow but a batch, which keeps its own to its end', () => {
    const files = readdirSync('workflows', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const tables = files.flatMap((file) =>
      [...readFileSync(join('workflows', file), 'utf8').matchAll(/export const (\w+_RULES): readonly Rules/g)].map(
        ([, name]) => name,
      ),
    );
    const asking = readFileSync('worker/ask-to-hand-over.ts', 'utf8');

    expect(new Set(tables)).toEqual(
      new Set(['BACKLOG', 'BATCH', 'ITEM', 'LANDING', 'LEDGER', 'QUEUE', 'QUOTA'].map((name) => `${name}_RULES`)),
    );
    expect(tables.filter((name) => !asking.includes(`${name}.length`))).toEqual(['BATCH_RULES']);
  });
});
