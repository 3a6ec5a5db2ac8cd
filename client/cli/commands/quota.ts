/** `sluice quota`: the accounts whose usage limit is reached, with the time that is left, and the word of a person that one is over. */
import { openAccount } from '../../../config/home/closed-accounts.js';
import { quotaGateId } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedQuotaGate } from '../../calls/quota-calls.js';
import { type LimitedAccount, limitedAccounts, OPENED_HERE } from '../../look/limited-accounts.js';
import type { Sent, Sluice } from '../../sluice.js';
import { elapsed } from '../../views/waiting-text.js';
import { QUEUED, reasonOf } from '../gates/send-to-run.js';
import { connectOrRead, connectToLook } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export async function listQuota(context: Context, connect = connectOrRead): Promise<ExitCode> {
  const { io, json, home } = context;
  await using sluice = await connect(context, 'this is what this host remembers');
  const limited = await limitedAccounts(home, sluice);
  for (const one of limited) {
    if (json) io.json(objectOf(one));
    else linesOf(one, Date.now()).forEach((line, index) => io.out(`${index === 0 ? '' : '  '}${foreign(line)}`));
  }
  if (!json && limited.length === 0) io.out('No usage limit is waited for.');
  return EXIT.done;
}

/** `asked` null: the only one. */
export async function openQuota(context: Context, asked: string | null, connect = connectToLook): Promise<ExitCode> {
  const { io, json, home } = context;
  const by = personOf(context);
  await using sluice = await connect(context);
  const { account, gate } = chosen(await limitedAccounts(home, sluice), asked, sluice !== null);
  const sent = gate === null || sluice === null ? null : await sendOpen(sluice, gate, { by, stop: io.stop });
  if (sent?.kind === 'refused') throw new RefusedError(refusedParts(account, sent.why), { exitCode: EXIT.needsPerson });
  if (sent?.kind === 'not_kept') throw new RefusedError(notKeptParts(account, sent.why));
  await openAccount(home, account);
  if (json)
    io.json({
      kind: 'quota_opened',
      account,
      sent: sent?.kind ?? null,
      message: sent?.kind === 'accepted' ? sent.answer.message : null,
    });
  else io.out(foreign(`${account}: ${whatHappened(sent)}`));
  return EXIT.done;
}

/** Errors: RefusedError where the server did not take it. */
async function sendOpen(
  sluice: Sluice,
  { workflowId, account }: ListedQuotaGate,
  { by, stop }: { by: string; stop: AbortSignal },
): Promise<Sent> {
  try {
    return await sluice.send(workflowId, { name: 'open', argument: { by } }, stop);
  } catch (error) {
    throw new RefusedError({
      what: `the server did not take the word for ${foreign(account)}: ${foreign(reasonOf(error))}`,
      why: 'a gate opens once it took the word, or the server keeps it',
      now: 'Whether it arrived is not known.',
      mend: 'sluice quota list',
    });
  }
}

function objectOf({ account, gate, closedHere }: LimitedAccount) {
  const view = gate?.view ?? null;
  return {
    kind: 'quota',
    account,
    state: gate?.state ?? null,
    limit: view?.limit ?? null,
    until: gate?.until ?? null,
    since: view?.since ?? null,
    note: gate?.note ?? null,
    waiting: view?.waiting ?? null,
    runs: view?.runs ?? null,
    probe: view?.probe ?? null,
    refusals: view?.refusals ?? null,
    closedHere,
  };
}

function linesOf({ account, gate, closedHere }: LimitedAccount, now: number): readonly string[] {
  if (gate === null) return [`${account}  no run waits; no turn is started on this host ${leftText(closedHere, now)}`];
  const { view, state, until, note } = gate;
  const who = view === null ? 'no worker answers' : `${view.waiting} ${view.waiting === 1 ? 'run waits' : 'runs wait'}`;
  const what =
    state === 'probing' ? `probed by ${view?.probe ?? 'a run'}` : `closed, tried again ${leftText(until, now)}`;
  const again =
    view === null || view.refusals === 0
      ? ''
      : `, met again ${view.refusals} ${view.refusals === 1 ? 'time' : 'times'}`;
  return [
    `${account}  ${what}  ${who}${again}${note === null ? '' : ` (${note})`}`,
    ...(view === null || view.runs.length === 0
      ? []
      : [`${view.runs.slice(0, 5).join(' ')}${view.waiting > 5 ? ' …' : ''}`]),
    `if it is over: sluice quota open ${account}`,
  ];
}

function leftText(until: string | null, now: number): string {
  const left = until === null ? Number.NaN : Date.parse(until) - now;
  if (Number.isNaN(left)) return 'later';
  return left > 0 ? `in ${elapsed(left)}` : 'now';
}

/** Errors: RefusedError where nothing is limited, or more than one account. */
function chosen(limited: readonly LimitedAccount[], asked: string | null, serverAsked: boolean): LimitedAccount {
  const [only, ...others] = asked === null ? limited : limited.filter(({ account }) => account === asked);
  if (only !== undefined && others.length === 0) return only;
  const names = limited.map(({ account }) => foreign(account)).join(', ');
  throw new RefusedError({
    what:
      asked === null
        ? `${limited.length} accounts are limited, and none is named`
        : `no usage limit of ${foreign(asked)} is waited for`,
    why: 'an account is named as `sluice quota list` shows it: <provider>/<account>',
    now: `Nothing was changed. Limited: ${names === '' ? 'none' : names}${serverAsked ? '' : ' on this host; the engine is down'}.`,
    mend: serverAsked ? 'sluice quota list' : 'sluice up && sluice quota list',
  });
}

function whatHappened(sent: Sent | null): string {
  switch (sent?.kind) {
    case 'accepted':
      return sent.answer.message;
    case 'queued':
      return `queued: ${QUEUED}`;
    default:
      return OPENED_HERE;
  }
}

function notKeptParts(account: string, why: string) {
  return {
    what: `the server keeps no more words for the gate ${foreign(quotaGateId(account))}: ${foreign(why)}`,
    why: 'it counts the messages of a gate as those of a run, and takes no more than its dynamic config says (docs/messages.md)',
    now: 'Nothing was sent; the gate opens by itself once a try goes well.',
    mend: 'sluice quota list',
  };
}

function refusedParts(account: string, why: string) {
  return {
    what: `the gate ${foreign(quotaGateId(account))} refused to open`,
    why: foreign(why),
    now: 'Nothing was changed.',
    mend: 'sluice quota list',
  };
}
