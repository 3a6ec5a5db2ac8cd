/** Long texts on a terminal. The pager of these tests is a shell command that keeps what it is given. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { showText } from '../../../client/cli/terminal/pager.js';
import { paintPatch } from '../../../client/cli/terminal/patch-colors.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
const PATH = process.env['PATH'];

describe('a long text', () => {
  it('goes to the pager that a person names, which keeps colours and leaves short texts on the screen', async () => {
    const file = join(freshFolder(), 'shown');
    const { context, written } = openTerminal({
      env: { PATH, PAGER: `cat > '${file}'; printf %s "$LESS" >> '${file}'` },
    });

    await showText(context.io, 'a long text');

    expect([readFileSync(file, 'utf8'), written]).toEqual(['a long text\nFRX', []]);
  });

  it('may be left early', async () => {
    const { context, written } = openTerminal({ env: { PATH, PAGER: 'true' } });

    await showText(context.io, 'x'.repeat(1_000_000));

    expect(written).toEqual([]);
  });

  it('is printed where the pager is missing, which is said', async () => {
    const { context, written, err } = openTerminal({ env: { PATH, PAGER: 'no-such-pager' } });

    await showText(context.io, 'a text');

    expect(written).toEqual(['a text\n']);
    expect(err.join()).toContain('export PAGER=cat');
  });

  it('is not printed again where the pager fails after it has begun', async () => {
    const { context, written } = openTerminal({ env: { PATH, PAGER: 'cat > /dev/null; exit 3' } });

    await showText(context.io, 'a text');

    expect(written).toEqual([]);
  });

  it('is printed in a pipe', async () => {
    const marker = join(freshFolder(), 'marker');
    writeFileSync(marker, '');
    const { context, written } = openTerminal({ interactive: false, env: { PATH, PAGER: `cat > '${marker}'` } });

    await showText(context.io, 'a text\n');

    expect([written, readFileSync(marker, 'utf8')]).toEqual([['a text\n'], '']);
  });

  it('that is a patch is coloured by us, and by no byte of a file', () => {
    const { context } = openTerminal();
    const painted = paintPatch('diff --git a/x b/x\n+\u001b[31mred\n-old\n', context.io.colors);

    expect(painted).not.toContain('\u001b');
    expect(painted).toContain('+');
  });
});
