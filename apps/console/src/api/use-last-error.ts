import { useState } from 'react';
import type { ApiError } from './api-client.js';

interface Reading {
  readonly data: unknown;
  readonly error: ApiError | null;
  readonly errorUpdateCount: number;
}

/** The last failure of a reading without data, also while it is tried again: otherwise the page would alternate. */
export function useLastError({ data, error, errorUpdateCount }: Reading): ApiError | null {
  const [last, setLast] = useState(error);
  // Another reading, of which none has failed, has taken the place of the former.
  const kept = error ?? (data === undefined && errorUpdateCount > 0 ? last : null);
  if (kept !== last) setLast(kept);
  return kept;
}
