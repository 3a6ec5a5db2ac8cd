/** From what a system says to what mends it. */
import { describe, expect, it } from '@jest/globals';
import { BUILT_ANEW, NOT_WHOLE } from '../../../config/system/error-code.js';
import { systemTrouble, systemTroubleIn } from '../../../config/system/system-trouble.js';

const HOME = '/home/ada/.sluice';

function anError(message: string, fields: Readonly<Record<string, unknown>>): Error {
  return Object.assign(new Error(message), fields);
}

describe('an error of the system', () => {
  it.each([
    ['EMFILE', 'there are too few file descriptors', expect.stringMatching(/^for p in .*\/fd /)],
    ['ENFILE', 'the machine has no file descriptors left', 'cat /proc/sys/fs/file-nr'],
    ['EDQUOT', 'the disk quota is used up', 'quota -s'],
    ['EROFS', 'the file system is read-only', `findmnt -T ${HOME}`],
    ['EIO', 'the disk fails', 'dmesg | tail'],
    ['ENOMEM', 'there is no memory left', 'free -m; ulimit -v'],
    ['ENOSPC', 'the disk is full', 'df -h /; df -i /'],
  ])('%s is named, with what mends it', (code, short, mend) => {
    const place = code === 'ENOSPC' ? '/' : HOME;

    expect(systemTrouble(anError('it failed', { code }), place)).toMatchObject({ short, mend });
    expect(systemTrouble(anError('above', { cause: anError('it failed', { code }) }), place)).toMatchObject({ short });
  });

  it.each([
    [BUILT_ANEW, 'gone', 'sluice list    then the same command, unless what it was to start is there'],
    [NOT_WHOLE, 'missing', 'npm run setup    in the folder of sluice'],
  ])('of a program that lacks a part names that: %s', (code, how, mend) => {
    expect(systemTrouble(anError('it failed', { code }), HOME)).toMatchObject({
      short: `a part of this program is ${how}`,
      mend,
    });
  });

  it('EAGAIN is a lack of processes at a start of one, and nothing of the machine elsewhere', () => {
    const noProcess = { short: 'no more processes can be started', mend: 'ulimit -u; ps -L -u "$(id -u)" | wc -l' };

    expect(systemTrouble(anError('spawn /bin/sh EAGAIN', { code: 'EAGAIN' }), HOME)).toMatchObject(noProcess);
    expect(systemTroubleIn('/opt/temporal cannot be used: spawn /opt/temporal EAGAIN.', null)).toMatchObject(noProcess);
    expect(
      systemTrouble(anError('EAGAIN: resource temporarily unavailable, read', { code: 'EAGAIN' }), HOME),
    ).toBeNull();
  });

  it('of rights is one of the machine in the sluice home alone', () => {
    const denied = (path: string) => systemTrouble(anError('EACCES', { code: 'EACCES', path }), HOME)?.short;

    const own = 'the sluice home cannot be used';
    expect([HOME, `${HOME}/trust.json`, `${HOME}-old/trust.json`, '/etc/shadow'].map(denied)).toEqual([
      own,
      own,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['fatal: unable to write new index file: No space left on device', 'the disk is full'],
    ["EROFS: read-only file system, open '/srv/it''s'", 'the file system is read-only'],
    ['attempt to write a readonly database (8)', 'the file system is read-only'],
    ['runtime: failed to create new OS thread (have 2 already; errno=11)', 'no more processes can be started'],
    ['accept4: too many open files in system', 'the machine has no file descriptors left'],
  ])('is known by its words where it comes from elsewhere: %s', (text, short) => {
    expect(systemTroubleIn(text, null)?.short).toBe(short);
  });

  it('of another machine perhaps is not looked for at its path on this one', () => {
    const text = "ENOSPC: no space left on device, open '/proc/version'";

    expect([null, HOME].map((home) => systemTroubleIn(text, home)?.mend)).toEqual([
      'df -h; df -i',
      'df -h /proc/version; df -i /proc/version',
    ]);
  });

  it('is none where a program says something else', () => {
    expect([
      systemTroubleIn('the port is taken', HOME),
      systemTrouble(new Error('no such run'), HOME),
      systemTrouble('EMFILE', HOME),
    ]).toEqual([null, null, null]);
  });
});
