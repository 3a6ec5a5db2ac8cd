/** What holds runs back: accounts whose usage limit is reached, and the budgets of the day. */
import type { LimitsPage } from '../../client/http/shapes.js';
import { dollars } from '../parts/amount.js';
import { Facts } from '../parts/facts.js';
import { Link } from '../parts/link.js';
import { ActionButton } from '../parts/message-form.js';
import { Line } from '../parts/text.js';
import { Left } from '../parts/time.js';
import { useLive } from '../state/use-live.js';

export function Limits() {
  const page = useLive('limits', ({ limits }) => limits);
  if (page === null) return <p class="quiet">Looking for limits…</p>;
  const isAsked = page.source.kind === 'server';
  return (
    <>
      <h1>Limits</h1>
      {isAsked ? null : (
        <p class="warning">
          The engine does not answer (<Line text={page.source.why ?? ''} />
          ), so this is what this host remembers; which runs wait is not known.
        </p>
      )}
      {isAsked && page.accounts.length === 0 ? <p class="quiet">No usage limit is waited for.</p> : null}
      {page.accounts.map((account) => (
        <Account key={account.account} account={account} isAsked={isAsked} />
      ))}
      {page.budgets.map((budget) => (
        <Budget key={budget.workflowId} budget={budget} />
      ))}
    </>
  );
}

const STATES = { open: 'open', closed: 'closed', probing: 'tried by one run' } as const;

interface AccountProps {
  readonly account: LimitsPage['accounts'][number];
  /** The server was, so that what it does not know is not there. */
  readonly isAsked: boolean;
}

function Account({ account, isAsked }: AccountProps) {
  const { state, until, waiting, runs, probe, note, closedHere } = account;
  return (
    <section class="card">
      <h2>
        <Line text={account.account} />
      </h2>
      <Facts
        facts={[
          ['state', state === null ? `${isAsked ? 'no run waits; ' : ''}this host starts no turn` : STATES[state]],
          ['tried again', until === null ? null : <Left until={until} />],
          ['on this host', closedHere === null ? null : <Left until={closedHere} />],
          ['waiting', state === null ? null : waitingText(waiting)],
          ['tried by', probe],
          ['note', note],
          ['runs', runs.length === 0 ? null : <RunLinks runs={runs} />],
        ]}
      />
      <ActionButton path={`/api/accounts/${encodeURIComponent(account.account)}/open`}>The limit is over</ActionButton>
    </section>
  );
}

function waitingText(waiting: number | null): string {
  return waiting === null ? 'unknown: no worker answers' : `${waiting} ${waiting === 1 ? 'run' : 'runs'}`;
}

function RunLinks({ runs }: { readonly runs: readonly string[] }) {
  return (
    <ul class="files">
      {runs.map((run) => (
        <li key={run}>
          <Link to={`/runs/${run}`}>
            <Line text={run} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Budget({ budget: { project, used } }: { readonly budget: LimitsPage['budgets'][number] }) {
  return (
    <section class="card">
      <h2>
        The day of <Line text={project} />
      </h2>
      {used === null ? (
        <p class="quiet">No worker answers for its ledger.</p>
      ) : (
        <Facts
          facts={[
            ['turns', `${used.turns}${used.underWay === 0 ? '' : `, ${used.underWay} of them under way`}`],
            ['minutes', String(Math.round(used.minutes * 10) / 10)],
            ['money', dollars(used.microUsd)],
            ['tokens', String(used.tokens)],
            ['a new day', <Left until={used.resetsAt} />],
          ]}
        />
      )}
    </section>
  );
}
