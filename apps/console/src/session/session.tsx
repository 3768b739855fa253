import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { get, type ApiError } from '../api/api-client.js';
import type { CallerAccess } from '../api/operations.js';
import { ErrorNote } from '../ui/notes.js';
import { accessKey } from './access-key.js';
import { CallerContext } from './caller.js';
import { SignInPage } from './sign-in-page.js';
import { hasLink, signInWithLink } from './sign-in.js';

const CHECK_MS = 60_000;

let linkUse: Promise<void> | undefined;

/** Shows its children to a person who is signed in, and the sign-in page to anyone else. */
export function Session({ children }: { readonly children: ReactNode }) {
  const [linkError, setLinkError] = useState<ApiError>();
  const caller = useQuery<CallerAccess, ApiError>({
    queryKey: ['/v1/caller'],
    queryFn: async ({ signal }) => {
      // Once for a page: a second use of the link would fail.
      linkUse ??= signInWithLink().catch(setLinkError);
      await linkUse;
      return get('/v1/caller', { signal });
    },
    refetchInterval: CHECK_MS,
    retry: false,
  });
  const hasChanged = useHasChanged(caller.data && accessKey(caller.data));
  useEffect(() => {
    // Nothing may be left of what another person has seen.
    if (hasChanged) location.reload();
  }, [hasChanged]);
  useReloadForLink();
  if (hasChanged) return null;
  if (caller.error?.status === 401) return <SignInPage linkError={linkError} />;
  if (caller.data === undefined)
    return caller.error ? <ErrorNote error={caller.error} onRetry={() => void caller.refetch()} /> : null;
  return <CallerContext value={caller.data}>{children}</CallerContext>;
}

/** A one-time link that is opened in this tab changes only the fragment, so the browser does not load the page. */
function useReloadForLink(): void {
  useEffect(() => {
    const reload = (): void => {
      if (hasLink()) location.reload();
    };
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
}

/** Whether a text is another one than at first. */
function useHasChanged(text: string | undefined): boolean {
  const [first, setFirst] = useState(text);
  if (first === undefined && text !== undefined) setFirst(text);
  return first !== undefined && text !== undefined && text !== first;
}
