/** The folder of the server binary: what lies there is run by whoever calls sluice. */
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { cachedBinary, cacheFolder, makeCacheFolder } from '../../../worker/local-engine/server-binary/cache.js';
import { findServerBinary } from '../../../worker/local-engine/server-binary/find-server-binary.js';
import { itWhere } from '../../support/it-where.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let folder: string;
let environment: NodeJS.ProcessEnv;
let binary: string;

beforeEach(() => {
  folder = freshFolder();
  environment = { XDG_CACHE_HOME: folder, PATH: '/nonexistent', SLUICE_TEMPORAL_DOWNLOAD: 'off' };
  binary = cachedBinary(environment);
});

/** Says that it is the right server, and that it ran. */
function plant(): void {
  mkdirSync(dirname(binary), { recursive: true, mode: 0o700 });
  writeFileSync(binary, `#!/bin/sh\ntouch ${folder}/ran\necho 'temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)'\n`, {
    mode: 0o755,
  });
}

describe('the cache of the server binary', () => {
  it('is private although the person has a umask of 000', () => {
    const usual = process.umask(0);
    try {
      makeCacheFolder(environment);
    } finally {
      process.umask(usual);
    }

    for (const path of [cacheFolder(environment), dirname(binary)]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.each([0o755, 0o775])('is used where only this user can write it, with a binary of mode %o', async (mode) => {
    plant();
    chmodSync(binary, mode);

    expect(await findServerBinary({ environment })).toMatchObject({ path: binary, source: 'cache' });
  });

  it.each([
    [
      'the binary',
      () =>
        [[binary, 0o777] as const, [dirname(binary), 0o755] as const, [cacheFolder(environment), 0o755] as const].map(
          ([path, mode]) => chmodSync(path, mode),
        ),
    ],
    ['the folder of its version', () => chmodSync(dirname(binary), 0o777)],
    ['the folder of sluice', () => chmodSync(cacheFolder(environment), 0o775)],
  ])('is not used, and nothing in it is run, where others can write %s', async (_what, open) => {
    plant();
    open();

    await expect(findServerBinary({ environment })).rejects.toThrow(
      /can be written by others[\s\S]*Nothing was started[\s\S]*chmod -R go-w/,
    );
    expect(statSync(join(folder, 'ran'), { throwIfNoEntry: false })).toBeUndefined();
  });

  const asRoot = itWhere(process.getuid?.() === 0, 'only root can give a file away');

  asRoot('is not used where it belongs to another user', async () => {
    plant();
    chownSync(binary, 65_534, 65_534);

    await expect(findServerBinary({ environment })).rejects.toThrow('belongs to another user');
  });
});
