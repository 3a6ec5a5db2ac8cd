import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { resolveProgram } from '../../../config/system/resolve-program.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = tempFolder();

function aProgram(path: string, mode = 0o755): string {
  const program = join(root, path);
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, mode);
  return program;
}

const bin = aProgram('node_modules/.bin/tool');
const repository = aProgram('repository/tool');
const good = aProgram('good/tool');
const link = join(root, 'links', 'tool');
mkdirSync(dirname(link));
symlinkSync(bin, link);

const places = (...programs: readonly string[]) => ({
  path: programs.map(dirname).join(':'),
  forbidden: [join(root, 'repository')],
});

describe('the program that is started', () => {
  it('is never one of a node_modules/.bin, by whatever name', () => {
    expect(resolveProgram('tool', places(bin, good))).toEqual({ kind: 'found', path: good });
    expect(resolveProgram('tool', places(bin))).toMatchObject({ kind: 'forbidden', root: dirname(bin) });
    expect(resolveProgram(bin, places(good))).toMatchObject({ kind: 'forbidden', path: bin });
    expect(resolveProgram('tool', places(link))).toMatchObject({ kind: 'forbidden', path: link });
  });

  it('is never one of a repository, and never a relative one', () => {
    expect(resolveProgram('tool', places(repository, good))).toEqual({ kind: 'found', path: good });
    expect(resolveProgram(repository, places())).toMatchObject({ kind: 'forbidden', root: join(root, 'repository') });
    expect(resolveProgram('good/tool', places(good))).toEqual({ kind: 'relative', name: 'good/tool' });
    expect(resolveProgram('tool', { path: '.:good', forbidden: [] })).toEqual({ kind: 'missing', name: 'tool' });
  });

  it('is one that can be run, and what cannot is named', () => {
    const plain = aProgram('plain/tool', 0o644);

    expect(resolveProgram('tool', places(plain))).toEqual({ kind: 'not_executable', path: plain });
    expect(resolveProgram('tool', places(plain, good))).toEqual({ kind: 'found', path: good });
  });
});
