/** The run as one file for whoever was not there. */
import { useState } from 'preact/hooks';
import type { ReportFile } from '../../client/http/shapes.js';
import { AskFailed, ask } from '../state/ask.js';
import { Line } from './text.js';

export function SaveReport({ id }: { readonly id: string }) {
  const [failure, tell] = useState<string | null>(null);
  const save = async () => {
    try {
      const { html } = await ask<ReportFile>(`/api/runs/${id}/report`);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
      link.download = `${id}.html`;
      link.click();
      // The browser reads it after this.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      tell(null);
    } catch (error) {
      tell(error instanceof AskFailed ? error.message : String(error));
    }
  };
  return (
    <p>
      <button type="button" onClick={() => void save()}>
        Save a report
      </button>{' '}
      {failure === null ? null : <Line text={failure} />}
    </p>
  );
}
