/** What a worker does not load at its start: a forge, which not every host has, and what makes bundles. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHUNKS, packedWith } from '../../support/packed-with.js';

const OF_A_FORGE = /node_modules\/@?octokit\b|activities\/(?:git\/)?forge\//;

const ofAForge = (chunk: string) => packedWith(chunk).filter((source) => OF_A_FORGE.test(source));

describe('what speaks to a forge', () => {
  it('is packed apart, and no part of what a worker loads at its start', () => {
    const late = readdirSync(CHUNKS).filter((name) => /^forge-activities-[A-Z0-9]{8}\.js$/.test(name));

    expect(late.map((chunk) => ofAForge(chunk).length > 0)).toEqual([true]);
    expect(packedWith('start-worker.js')).toContainEqual(expect.stringContaining('/landing/land-entry'));
    expect(ofAForge('start-worker.js')).toEqual([]);
  });
});

describe('a worker that has its bundle of workflows', () => {
  it.each(['start-worker.js', 'workflow-thread.js'])(
    'has no bundler in %s, and the messages of Temporal once',
    (chunk) => {
      const packed = packedWith(chunk);

      expect(packed.filter((source) => /node_modules\/(?:webpack|memfs|swc-loader)\b/.test(source))).toEqual([]);
      expect(packed.filter((source) => source.endsWith('@temporalio/proto/protos/root.js'))).toHaveLength(1);
    },
  );
});
