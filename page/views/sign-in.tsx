/** Where somebody without a key types the code. What they typed elsewhere stays. */
import { useState } from 'preact/hooks';
import { session, tradeCode } from '../state/session.js';
import { useStore } from '../state/store.js';

export function SignIn() {
  const told = useStore(session, (value) => value.told);
  const [code, setCode] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void tradeCode(code);
  };
  return (
    <main class="sign-in">
      <h1>Sign in</h1>
      <p>
        Press Enter in the terminal of <code>sluice web</code>, or start it again where it has none: it prints an
        address with a new code. Go there, or put it in here.
      </p>
      <form onSubmit={submit}>
        <label>
          Code
          <input
            type="text"
            autoComplete="off"
            spellcheck={false}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="yes" disabled={code.trim() === ''}>
          Sign in
        </button>
      </form>
      <p class="told bad" role="status">
        {told ?? ''}
      </p>
    </main>
  );
}
