import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  claimRun,
  findRunRecord,
  type RunRecord,
  releaseRun,
  writeEnvironment,
} from '../../../activities/unit/run-record.js';
import { tempFolders } from '../../support/temp-folder.js';

/** Of a record only the owner is looked at here. */
function recordOf(firstExecutionRunId: string): RunRecord {
  return { version: 1, firstExecutionRunId } as RunRecord;
}

describe('the record of a run', () => {
  const freshFolder = tempFolders();
  let folder: string;
  let stateDir: string;

  beforeEach(() => {
    folder = freshFolder();
    stateDir = join(folder, 'run');
    mkdirSync(stateDir);
  });

  it('belongs to the workflow chain that claimed it first', () => {
    const first = claimRun(stateDir, recordOf('one'), 'process');
    const second = claimRun(stateDir, recordOf('two'), 'process');

    expect([first.firstExecutionRunId, second.firstExecutionRunId]).toEqual(['one', 'one']);
  });

  it('leaves nothing when it is released before it had a worktree', () => {
    claimRun(stateDir, recordOf('one'), 'process');

    releaseRun(stateDir);

    expect(existsSync(stateDir)).toBe(false);
  });

  it('is kept, with all that lies beside it, once the run had its worktree', () => {
    claimRun(stateDir, recordOf('one'), 'process');
    writeEnvironment(stateDir, { PATH: '/bin' }, 'process');

    releaseRun(stateDir);

    expect(findRunRecord(stateDir)?.firstExecutionRunId).toBe('one');
  });
});
