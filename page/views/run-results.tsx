/** What a run came to so far: its plan, changes, checks, findings and cost. */
import type { ComponentChildren } from 'preact';
import type { RunPage } from '../../client/http/shapes.js';
import { elapsed } from '../../client/views/waiting-text.js';
import { dollars } from '../parts/amount.js';
import { Block, Line } from '../parts/text.js';

interface ResultsProps {
  readonly page: RunPage;
  /** How a changed file is shown, by its place; a report has no patch to open. */
  readonly change?: (file: Changed, place: number) => ComponentChildren;
}

export type Changed = NonNullable<RunPage['changes']>[number];

export function Results({ page, change = (file) => <ChangeLine file={file} /> }: ResultsProps) {
  const { plan, checks, findings, changes, stages } = page;
  return (
    <>
      {plan === null ? null : (
        <details>
          <summary>Plan</summary>
          <Block text={plan} />
        </details>
      )}
      {changes === null || changes.length === 0 ? null : <Changes changes={changes} change={change} />}
      {checks === null ? null : <Checks commands={checks.commands} />}
      {findings.length === 0 ? null : <Findings findings={findings} />}
      {stages.length === 0 ? null : <Cost stages={stages} />}
    </>
  );
}

interface ChangesProps {
  readonly changes: readonly Changed[];
  readonly change: NonNullable<ResultsProps['change']>;
}

function Changes({ changes, change }: ChangesProps) {
  return (
    <section>
      <h2>
        Changes <span class="count">{changes.length}</span>
      </h2>
      <ul class="files">
        {changes.map((file, place) => (
          <li key={file.path}>{change(file, place)}</li>
        ))}
      </ul>
    </section>
  );
}

export function ChangeLine({ file: { path, insertions, deletions } }: { readonly file: Changed }) {
  return (
    <>
      <Line text={path} /> <span class="plus">+{insertions}</span> <span class="minus">−{deletions}</span>
    </>
  );
}

function Checks({ commands }: { readonly commands: NonNullable<RunPage['checks']>['commands'] }) {
  return (
    <section>
      <h2>Checks</h2>
      <ul class="checks">
        {commands.map(({ command, status, durationMs, failedOnBase }) => (
          <li key={command} class={status}>
            <code>
              <Line text={command} />
            </code>{' '}
            {status === 'environment' ? 'could not be run' : status}
            {failedOnBase ? ', as on the base' : ''}, {elapsed(durationMs)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Findings({ findings }: { readonly findings: readonly string[] }) {
  return (
    <section>
      <h2>Findings</h2>
      <ul>
        {findings.map((finding) => (
          <li key={finding}>
            <Line text={finding} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const COLUMNS = ['stage', 'turns', 'time', 'tokens in', 'out', 'cost'];

/** What no agent told is unknown, and no zero. */
function Cost({ stages }: { readonly stages: RunPage['stages'] }) {
  return (
    <section class="wide">
      <h2>Cost</h2>
      <table>
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map((use) => (
            <tr key={use.stage}>
              <th scope="row">
                <Line text={use.stage} />
              </th>
              <td>{use.turns}</td>
              <td>{elapsed(use.agentMs)}</td>
              <td>{use.tokensIn ?? 'unknown'}</td>
              <td>{use.tokensOut ?? 'unknown'}</td>
              <td>{use.costMicroUsd === null ? 'unknown' : dollars(use.costMicroUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
