/** A run in one page that stays as it is: outcome, timeline, cost, gates with who decided them, checks, findings, changes. */
import type { ReportPage } from '../../client/http/read-report.js';
import { tellTimeline } from '../../client/views/timeline.js';
import { Facts } from '../parts/facts.js';
import { Block, Line } from '../parts/text.js';
import { Timeline } from '../parts/timeline.js';
import { Results } from '../views/run-results.js';
import { Decisions } from './decisions.js';
import { Numbers } from './numbers.js';
import { utcTime } from './utc-time.js';

export function Report({ report }: { readonly report: ReportPage }) {
  const { page, lines, metrics, madeAt, notes } = report;
  const timeline = tellTimeline(lines, Date.parse(madeAt));
  return (
    <main>
      <h1>
        <Line text={page.row.title ?? page.row.runId} />
      </h1>
      <Outcome report={report} />
      {notes.map((note) => (
        <p key={note} class="warning">
          {note}
        </p>
      ))}
      <Numbers metrics={metrics} />
      {timeline === null ? null : <Timeline timeline={timeline} showTime={utcTime} isWhole />}
      {page.gates.length === 0 ? null : <Decisions gates={page.gates} />}
      <Results page={page} />
      {page.changes === null ? (
        <p class="quiet">The changed files cannot be listed: the commits are not here.</p>
      ) : null}
      <h2>Task</h2>
      <Block text={page.task} />
      <p class="quiet">
        Made by sluice from what the run left, <time dateTime={madeAt}>{utcTime(madeAt)}</time>.
      </p>
    </main>
  );
}

function Outcome({ report: { page } }: { readonly report: ReportPage }) {
  const { row, outcome, status } = page;
  return (
    <>
      <p class="lead">
        <span class={`state ${row.state.replaceAll(' ', '-')}`}>{row.state}</span>{' '}
        {(outcome ?? status) === row.state ? null : <Line text={(outcome ?? status).replaceAll('_', ' ')} />}
        {outcome === null ? ': the run had not ended when this was made' : ''}
      </p>
      <Facts
        facts={[
          ['run', row.runId],
          ['stage', page.stage],
          ['rounds', page.rounds],
          ['reason', page.error ?? page.blockedReason],
          ['waits for', page.waits?.text ?? null],
          ['review', page.review],
          ['verification', page.verification],
          ['changes', diffStat(page.changes)],
          ['repository', page.repo],
          ['branch', page.branch],
          ['base', page.base],
          ['head', page.headSha],
          ['host', row.host],
          ['began', utcTime(row.startedAt)],
        ]}
      />
    </>
  );
}

function diffStat(changes: ReportPage['page']['changes']): string | null {
  if (changes === null) return null;
  const insertions = changes.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = changes.reduce((sum, file) => sum + file.deletions, 0);
  return `${changes.length} ${changes.length === 1 ? 'file' : 'files'}, +${insertions} −${deletions}`;
}
