/** A host without a forge has nothing of one in its worker. */
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
