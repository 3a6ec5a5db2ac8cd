import { describe, expect, it } from '@jest/globals';
import { goOn } from '../../../activities/journal/go-on.js';

function errorOf(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code });
}

describe('a step of the projection', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    'that meets %s is left to a repeated activity',
    async (code) => {
      await expect(
        goOn(
          () => undefined,
          'state.json',
          () => Promise.reject(errorOf(code)),
        ),
      ).rejects.toThrow(code);
    },
  );

  it.each(['EACCES', 'EPERM', 'EROFS', 'EIO', 'ELOOP', 'EBUSY', 'ENOTDIR'])(
    'that meets %s is skipped and told',
    async (code) => {
      const told: string[] = [];

      const answer = await goOn(
        (what, error) => void told.push(`${what} ${String(error)}`),
        'state.json',
        () => Promise.reject(errorOf(code)),
      );

      expect(answer).toBeUndefined();
      expect(told).toEqual([`state.json Error: ${code}: no`]);
    },
  );
});
