/**
 * Gives git a token without writing it anywhere: git starts a program, which asks over a socket in a private folder, once. The folder is gone with the work.
 * Not promised: that nobody of the same user asks first; then git gets nothing, and the push fails.
 */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openSocketFolder } from '../../../config/home/socket-folder.js';
import { shellWord } from '../../../protocol/text/shell-word.js';

export interface TokenServing {
  /** The sluice home. */
  readonly home: string;
  readonly token: string;
  /** Who is asked for: `https://github.com`. */
  readonly origin: string;
  /** The program that asks. Absolute. */
  readonly askpassMain: string;
}

export const ASKPASS_SOCKET = 'ask.sock';

/** Answers what `work` answers; gives it what `GIT_ASKPASS` has to be. */
export async function servingToken<T>(
  { home, token, origin, askpassMain }: TokenServing,
  work: (askpass: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(openSocketFolder(home), 'ask-'));
  chmodSync(folder, 0o700);
  const program = join(folder, 'askpass');
  writeFileSync(program, `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(askpassMain)} "$0" "$1"\n`, {
    mode: 0o700,
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (prompt) => socket.end(isAbout(prompt.toString('utf8'), origin) ? token : ''));
    server.close();
  });
  server.listen(join(folder, ASKPASS_SOCKET));
  try {
    await once(server, 'listening');
    return await work(program);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `Password for 'https://x-access-token@github.com': `. Another host must not have it, however git came there. */
function isAbout(prompt: string, origin: string): boolean {
  const url = /^Password for '([^']+)'/.exec(prompt)?.[1] ?? '';
  if (!URL.canParse(url)) return false;
  return new URL(url).origin === origin;
}
