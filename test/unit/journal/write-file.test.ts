import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createArtifactStore } from '../../../activities/journal/artifact-store.js';
import { appendEvents, readEvents } from '../../../activities/journal/events-file.js';
import { writeFileAtomic } from '../../../activities/journal/write-file.js';
import { tempFolders } from '../../support/temp-folder.js';
import { events, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();

describe('writeFileAtomic', () => {
  it('replaces the file, makes missing folders and leaves nothing else', async () => {
    const root = folder();
    const path = join(root, 'a', 'b', 'f.txt');

    await writeFileAtomic(path, 'one', { root, fsync: false });
    await writeFileAtomic(path, 'two', { root, fsync: true });

    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(root, 'a', 'b'))).toEqual(['f.txt']);
  });

  it.each(['folder', 'file'])('refuses a path whose %s is a symlink and leaves its target alone', async (what) => {
    const root = folder();
    const outside = folder();
    await writeFile(join(outside, 'f.txt'), 'precious');
    if (what === 'file') await mkdir(join(root, 'd'));
    await symlink(
      what === 'file' ? join(outside, 'f.txt') : outside,
      what === 'file' ? join(root, 'd', 'f.txt') : join(root, 'd'),
    );

    await expect(writeFileAtomic(join(root, 'd', 'f.txt'), 'x', { root, fsync: false })).rejects.toThrow(
      /is a symlink/,
    );

    expect(await readFile(join(outside, 'f.txt'), 'utf8')).toBe('precious');
    expect(await readdir(outside)).toEqual(['f.txt']);
  });

  it('refuses a path outside its root', async () => {
    const root = folder();

    await expect(writeFileAtomic(join(root, '..', 'f.txt'), 'x', { root, fsync: false })).rejects.toThrow(
      /is not below/,
    );
  });
});

describe('a full disk', () => {
  it('leaves the old file whole, no temp file, and the journal as it was', async () => {
    const root = folder();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', root]);
    if (mounted.status !== 0) {
      expect(process.env['CI']).toBeUndefined();
      process.stdout.write(
        `skipped: a tmpfs cannot be mounted here: ${mounted.stderr?.toString() ?? mounted.error?.message}\n`,
      );
      return;
    }
    try {
      const path = join(root, 'f.txt');
      const journal = join(root, 'events.jsonl');
      await writeFileAtomic(path, 'old', { root, fsync: false });
      await appendEvents(journal, { events: events(1, 3), lastSeq: 3 }, { root, ...NO_FAIL });

      await expect(writeFileAtomic(path, 'x'.repeat(200_000), { root, fsync: false })).rejects.toThrow(/ENOSPC/);
      const flood = events(4, 2000);
      await expect(appendEvents(journal, { events: flood, lastSeq: 2000 }, { root, ...NO_FAIL })).rejects.toMatchObject(
        { code: 'ENOSPC' },
      );

      expect(await readFile(path, 'utf8')).toBe('old');
      expect((await readdir(root)).sort()).toEqual(['events.jsonl', 'f.txt']);
      expect(await readEvents(journal)).toEqual(events(1, 3));
      expect((await readFile(journal, 'utf8')).endsWith('\n')).toBe(true);
    } finally {
      spawnSync('umount', [root]);
    }
  });
});

describe('artifact store', () => {
  it('stores a redacted text under its hash, once, and gives it back', async () => {
    const root = folder();
    const store = createArtifactStore(join(root, 'artifacts'), { root, fsync: false });

    const ref = await store.put(`token ghp_${'a1'.repeat(18)}`, 'text/markdown');
    const again = await store.put(`token ghp_${'a1'.repeat(18)}`, 'text/markdown');

    expect(again).toEqual(ref);
    expect(await store.get(ref)).toBe('token [redacted:github-token]');
    expect(await readdir(join(root, 'artifacts'))).toEqual([ref.sha256]);
  });

  it('refuses a damaged artifact and a name that is no hash, and mends damage by storing again', async () => {
    const root = folder();
    const store = createArtifactStore(join(root, 'artifacts'), { root, fsync: false });
    const ref = await store.put('text', 'text/plain');
    await writeFile(join(root, 'artifacts', ref.sha256), 'tent');

    await expect(store.get(ref)).rejects.toThrow(/is damaged/);
    await expect(store.get({ ...ref, sha256: '../x' })).rejects.toThrow(/not the name/);
    await store.put('text', 'text/plain');
    expect(await store.get(ref)).toBe('text');
  });
});
