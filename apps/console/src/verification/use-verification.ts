import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readBytes } from '../api/read-bytes.js';
import { ApiError } from '../api/api-client.js';
import { readWholeListing } from '../api/whole-listing.js';
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

/** @throws ApiError, also when there are more than a browser reads: with a part of them a valid event would not be verified */
async function readTrustedKeys(signal: AbortSignal): Promise<readonly TrustedKey[]> {
  const { rows, isCut } = await readWholeListing('/v1/trusted-keys', signal);
  if (isCut)
    throw new ApiError(
      undefined,
      'Too many trusted keys',
      'There are too many trusted keys for a browser. Download the evidence, and verify it with busbridge verify.',
    );
  return rows;
}
