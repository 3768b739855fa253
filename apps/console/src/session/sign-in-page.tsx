import { useQuery } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent } from 'react';
import type { ApiError } from '../api/api-client.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/notes.js';
import {
  continueSignedIn,
  FAILURE_PATH,
  readSignInOptions,
  signInAtIssuer,
  signInWithToken,
} from './sign-in.js';

export function SignInPage({ linkError }: { readonly linkError: ApiError | undefined }) {
  const options = useQuery({ queryKey: ['sign-in options'], queryFn: readSignInOptions, retry: false });
  const failure = readFailure();
  return (
    <main className="sign-in">
      <title>Sign in · Settlement bus bridge</title>
      <h1>Settlement bus bridge</h1>
      <p>Sign in to see settlement, margin and problems of your participants.</p>
      {failure && <Note kind="critical">{failure}</Note>}
      {linkError && <Note kind="critical">This link cannot be used: {linkError.message}</Note>}
      {options.error && <ErrorNote error={options.error} onRetry={() => void options.refetch()} />}
      {options.data?.openIdConnect && (
        <Button kind="primary" onClick={signInAtIssuer}>
          Sign in with your organisation
        </Button>
      )}
      {options.data?.accessToken && <TokenForm />}
    </main>
  );
}

function TokenForm() {
  const id = useId();
  const [token, setToken] = useState('');
  const [error, setError] = useState<Error>();
  const [isSending, setIsSending] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setError(undefined);
    setIsSending(true);
    void signInWithToken(token.trim())
      .then(continueSignedIn, setError)
      .finally(() => setIsSending(false));
  };
  return (
    <form onSubmit={submit} className="stack">
      <div className="field">
        <label htmlFor={id}>Access token</label>
        <input
          id={id}
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          aria-describedby={`${id}-hint`}
        />
        <span id={`${id}-hint`} className="hint">
          <code>busbridge tokens create</code> makes one. It begins with <code>busbridge_</code>.
        </span>
      </div>
      {error && <ErrorNote error={error} />}
      <Button type="submit" disabled={isSending}>
        Sign in with the token
      </Button>
    </form>
  );
}

/** Reasons with which the API returns from the issuer. */
const FAILURES: Readonly<Record<string, string>> = {
  denied: 'The sign-in was cancelled. Try again.',
  'no-access': 'You are known, but your account grants no access here. Ask your administrator for a role.',
  expired: 'The sign-in took too long or was begun in another window. Try again.',
  refused: 'The sign-in service of your organisation refused. Try again, or ask your administrator.',
  'too-many': 'Too many people sign in or are signed in. Try again in a minute, or ask your administrator.',
  unavailable: 'The sign-in service of your organisation does not respond. Try again in a minute.',
};

function readFailure(): string | undefined {
  if (location.pathname !== FAILURE_PATH) return undefined;
  const reason = new URLSearchParams(location.search).get('reason') ?? '';
  return FAILURES[reason] ?? 'The sign-in failed. Try again.';
}
