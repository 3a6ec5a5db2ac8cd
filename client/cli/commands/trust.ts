/** `sluice trust`: lets the config text of this repository start programs on this machine, shows what is trusted, or takes it back. Merge queues that waited for it go on. */
import { join } from 'node:path';
import { ensureHome, PROJECT_CONFIG } from '../../../config/home/home.js';
import { listTrust, revokeTrust, trustConfig, trustOf } from '../../../config/home/trust.js';
import { needsTrust } from '../../../config/resolve/select-config.js';
import { hashOfText, readConfigFile } from '../../../config/system/config-text.js';
import { messageOf } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { commitOf, textAt } from '../../repository.js';
import { connectToLook } from '../server/connect.js';
import { checkRepository } from '../start/check-repository.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface TrustOptions {
  readonly list: boolean;
  readonly revoke: boolean;
  /** A branch or commit whose config it is. */
  readonly at?: string | undefined;
  readonly repo?: string | undefined;
}

export async function trust(
  context: Context,
  { list, revoke, at, repo }: TrustOptions,
  connect = connectToLook,
): Promise<ExitCode> {
  const { io, json, home } = context;
  if (list) return printTrusted(context);
  const by = personOf(context);
  const { root, baseSha } = await checkRepository(context, { repo });
  if (revoke) {
    const revoked = await revokeTrust(home, root, null);
    if (json) io.json({ repo: root, revoked: revoked.map(({ hash }) => hash) });
    else
      io.out(
        `${revoked.length} trusted config ${revoked.length === 1 ? 'text' : 'texts'} of ${foreign(root)} taken back.`,
      );
    return EXIT.done;
  }
  const texts = at === undefined ? await textsOf(root, baseSha) : await textsAt(root, at);
  if (texts.length === 0) {
    throw new RefusedError({
      what: `${foreign(root)} has no ${PROJECT_CONFIG}`,
      why: 'trust is given to the text of that file, in the checkout, at the checked-out commit, or at the one of --at',
      now: 'Nothing was changed.',
      mend: 'sluice init',
    });
  }
  ensureHome(home);
  for (const text of texts) {
    const isNew = !trustOf(home, root).isTrusted(hashOfText(text));
    const hash = await trustConfig(home, root, text);
    if (json) io.json({ repo: root, hash, new: isNew, startsPrograms: needsTrust(text) });
    else
      io.out(
        `${isNew ? `${foreignBlock(text.trimEnd())}\n\nTrusted` : 'Already trusted'}: ${hash.slice(0, 12)} of ${foreign(root)}. Any change of the file asks again.`,
      );
  }
  await ringQueues(context, { by, connect });
  return EXIT.done;
}

/** Trust is given by then. */
const RING_LIMIT_MS = 2_000;

/** What is held for want of trust looks again now; without this word it does so within a minute. */
async function ringQueues(
  context: Context,
  { by, connect }: { readonly by: string; readonly connect: typeof connectToLook },
): Promise<void> {
  const { io, json } = context;
  try {
    await using sluice = await connect(context, RING_LIMIT_MS);
    const queues = (await sluice?.mergeQueues()) ?? [];
    for (const { workflowId, view } of queues) {
      if (view?.held !== 'config_not_trusted') continue;
      await sluice?.send(workflowId, { name: 'look', argument: { by } }, io.stop);
      if (!json) io.out(foreign(`The merge queue of ${view.branch} looks again.`));
    }
  } catch (error) {
    io.err(foreign(`Merge queues were not told, and look again within a minute: ${messageOf(error)}`));
  }
}

async function textsAt(root: string, name: string): Promise<readonly string[]> {
  const commit = await commitOf(root, name);
  if (commit === null) {
    throw new RefusedError({
      what: `there is no branch or commit "${foreign(name)}" (from --at) in ${foreign(root)}`,
      why: 'trust is given to a text that somebody can look at',
      now: 'Nothing was changed.',
      mend: 'git branch --list    shows the branches',
    });
  }
  return [await textAt(root, commit, PROJECT_CONFIG)].filter((text) => text !== null);
}

/** The checkout's file; without one, the committed file. */
async function textsOf(root: string, baseSha: string): Promise<readonly string[]> {
  const working = readConfigFile(join(root, PROJECT_CONFIG), PROJECT_CONFIG)?.text ?? null;
  const committed = await textAt(root, baseSha, PROJECT_CONFIG);
  return working === null ? [committed].filter((text) => text !== null) : [working];
}

function printTrusted({ io, json, home }: Context): ExitCode {
  const entries = listTrust(home);
  for (const { repo, hash, trustedAt } of entries) {
    if (json) io.json({ repo, hash, trustedAt });
    else io.out(foreign(`${hash.slice(0, 12)}  ${trustedAt.slice(0, 10)}  ${repo}`));
  }
  if (entries.length === 0 && !json) io.out('Nothing is trusted.');
  return EXIT.done;
}
