import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readBytes } from '../api/read-bytes.js';
import { get, type ApiError } from '../api/api-client.js';
import { useCaller } from '../session/caller.js';
import type { TrustedKey, Verification } from './verify-in-browser.js';

interface Subject {
  readonly id: string;
  /** The text of the event that the page shows. */
  readonly text: string;
}

/** Reads the evidence of an event and verifies it in this browser, once. */
export function useVerification(
  { id, text }: Subject,
  enabled: boolean,
): UseQueryResult<Verification, ApiError> {
  const { allParticipants } = useCaller();
  return useQuery<Verification, ApiError>({
    queryKey: ['verification', id, text],
    queryFn: async ({ signal }) => {
      // The verifier is a file of its own, which only this page loads.
      const [{ verifyInBrowser }, evidence, trustedKeys] = await Promise.all([
        import('./verify-in-browser.js'),
        readEvidence(id, signal),
        allParticipants ? readTrustedKeys(signal) : undefined,
      ]);
      return verifyInBrowser({ evidence, shownText: text, trustedKeys });
    },
    enabled,
    staleTime: Infinity,
  });
}

/** The evidence file of an event, byte for byte. @throws ApiError */
export function readEvidence(id: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return readBytes(`/v1/events/${encodeURIComponent(id)}/evidence`, signal);
}

async function readTrustedKeys(signal: AbortSignal): Promise<TrustedKey[]> {
  const keys: TrustedKey[] = [];
  let cursor: string | undefined;
  do {
    const page = await get('/v1/trusted-keys', { query: cursor === undefined ? {} : { cursor }, signal });
    keys.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return keys;
}
