/** What `engine.durability: power` adds: flushes of file and folder. Counted where they are asked for; no test cuts the power. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../support/temp-folder.js';

type Flushes = Record<'process' | 'power', Record<'mark' | 'exit' | 'append' | 'file', number>>;

const folder = tempFolder();
let flushes: Flushes;

beforeAll(() => {
  const program = join('test', 'unit', 'process', 'flushes.mjs');
  flushes = JSON.parse(execFileSync(process.execPath, [program, folder], { encoding: 'utf8' })) as Flushes;
});

describe('a write', () => {
  it('flushes file and folder of a mark under power, and nothing under process', () => {
    expect({ mark: flushes.process.mark, exit: flushes.process.exit }).toEqual({ mark: 0, exit: 0 });
    expect({ mark: flushes.power.mark, exit: flushes.power.exit }).toEqual({ mark: 2, exit: 2 });
  });

  it('flushes an append and a file of the run directory under power alone', () => {
    expect({ append: flushes.process.append, file: flushes.process.file }).toEqual({ append: 0, file: 0 });
    expect({ append: flushes.power.append, file: flushes.power.file }).toEqual({ append: 1, file: 2 });
  });
});
