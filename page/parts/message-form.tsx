/** A text that goes to a run, with its buttons. What was typed stays until it was taken. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useDraft } from '../state/drafts.js';
import { type Outcome, send } from '../state/send.js';
import { Line } from './text.js';

/** One at a time, and what became of the last. `told`: for who outlives what is sent from. */
export function useSending(told: (outcome: Outcome) => void = () => {}): {
  readonly isSending: boolean;
  readonly outcome: Outcome | null;
  readonly sendNow: (path: string, argument: Readonly<Record<string, unknown>>) => Promise<boolean>;
} {
  const [isSending, begin] = useState(false);
  const [outcome, tell] = useState<Outcome | null>(null);
  return {
    isSending,
    outcome,
    async sendNow(path, argument) {
      if (isSending) return false;
      begin(true);
      tell(null);
      const became = await send(path, argument).finally(() => begin(false));
      tell(became);
      told(became);
      return became.isTaken;
    },
  };
}

export function Told({ outcome }: { readonly outcome: Outcome | null }) {
  return (
    <p class={outcome?.isTaken === false ? 'told bad' : 'told'} role="status">
      <Line text={outcome?.text ?? ''} />
    </p>
  );
}

interface ActionProps {
  readonly path: string;
  /** What is asked before it is sent; nothing where it can be taken back. */
  readonly asks?: string;
  readonly children: ComponentChildren;
}

/** A message without a text. */
export function ActionButton({ path, asks, children }: ActionProps) {
  const { isSending, outcome, sendNow } = useSending();
  const act = () => {
    if (asks === undefined || window.confirm(asks)) void sendNow(path, {});
  };
  return (
    <div class="action">
      <button type="button" class={asks === undefined ? '' : 'no'} disabled={isSending} onClick={act}>
        {children}
      </button>
      <Told outcome={outcome} />
    </div>
  );
}

interface MessageFormProps {
  readonly name: string;
  readonly label: string;
  readonly path: string;
  readonly field: string;
  readonly children: ComponentChildren;
}

/** A text that must say something. */
export function MessageForm({ name, label, path, field, children }: MessageFormProps) {
  const [text, setText, forget] = useDraft(name);
  const { isSending, outcome, sendNow } = useSending();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (text.trim() !== '' && (await sendNow(path, { [field]: text }))) forget(text);
  };
  return (
    <form class="message" onSubmit={(event) => void submit(event)}>
      <label>
        {label}
        <textarea rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={isSending || text.trim() === ''}>
        {children}
      </button>
      <Told outcome={outcome} />
    </form>
  );
}
