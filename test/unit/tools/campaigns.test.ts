import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { beginCampaign, CAMPAIGNS_FILE, COVERED, staleCampaigns } from '../../../tools/campaigns.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

let folder = '';

beforeEach(() => {
  folder = freshFolder();
  git('init', '--quiet');
  change('worker/main.ts', 'one');
  change(CAMPAIGNS_FILE, '{}\n');
  commit();
});

function git(...args: readonly string[]): string {
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  return execFileSync('git', [...person, ...args], { cwd: folder, encoding: 'utf8' });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'x');
}

function change(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const said = (name: string) =>
  staleCampaigns(folder).filter((sentence) => sentence.startsWith(`npm run ${name} `) && !sentence.includes(' -- '));

describe('a campaign', () => {
  it('covers files and folders that are there', () => {
    const paths = new Set<string>(Object.values(COVERED).flat());

    expect([...paths].filter((path) => !existsSync(path))).toEqual([]);
  });

  it('that never passed whole is to be run', () => {
    expect(said('chaos')).toEqual(['npm run chaos has not passed whole yet']);
  });

  it('is noted with its date and the commit at which it began, beside the others', () => {
    const chaos = beginCampaign('chaos', folder);
    beginCampaign('attack', folder)();
    const began = git('rev-parse', 'HEAD').trim();
    commit();
    chaos();

    const stamp = { date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), commit: began, isDirty: false };
    expect(JSON.parse(readFileSync(join(folder, CAMPAIGNS_FILE), 'utf8'))).toEqual({ chaos: stamp, attack: stamp });
  });

  it('is to be run again once a file that it covers changed, and for no other', () => {
    beginCampaign('chaos', folder)();
    commit();
    change('README.md', 'two');
    expect(said('chaos')).toEqual([]);

    change('worker/main.ts', 'two');
    change('activities/new.ts', 'new');

    expect(said('chaos')).toEqual([
      expect.stringMatching(/passed whole on .* at `[0-9a-f]{12}`; 2 of the files that it covers changed since$/),
    ]);
  });

  it('that passed with changes in no commit of what it covers is said to have', () => {
    change('worker/main.ts', 'two');
    change('docs/mutants.md', 'of another campaign');
    for (const name of ['chaos', 'e2e:agents'] as const) beginCampaign(name, folder)();
    change('worker/main.ts', 'one');

    expect(said('chaos')).toEqual([expect.stringMatching(/`, with changes that are in no commit$/)]);
    expect(said('e2e:agents')).toEqual([]);
  });

  it('of a commit that is not there is to be run again', () => {
    const stamp = { date: '2026-11-23', commit: '0'.repeat(40), isDirty: false };
    change(CAMPAIGNS_FILE, JSON.stringify({ chaos: stamp }));

    expect(said('chaos')).toEqual([expect.stringContaining('which is no commit of this repository')]);
  });
});
