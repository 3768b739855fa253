import {
  OperatorRefusedError,
  OperatorUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '@ssb/market';

export type AfterFailure =
  | { do: 'again'; pauseMs: number }
  /** The record is there with another content, from an earlier play: go on. */
  | { do: 'go-on' }
  | { do: 'give-up' };

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * What to do when a record could not be loaded for the `attempt`th time (from 1). Services that are down or do not know the
 * account yet are waited for without end; a record that is refused for what it says never succeeds, nor does one that the account
 * may not load: a token keeps its scopes (document 001, Scopes), so that waiting would only look like a play that hangs.
 */
export function afterFailure(error: unknown, attempt: number): AfterFailure {
  const again: AfterFailure = {
    do: 'again',
    pauseMs: Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS),
  };
  if (error instanceof OperatorUnavailableError || error instanceof TokenUnavailableError) return again;
  if (error instanceof TokenRefusedError) return again;
  if (!(error instanceof OperatorRefusedError)) return { do: 'give-up' };
  switch (error.status) {
    case 401:
    case 404:
      return again;
    case 409:
      return { do: 'go-on' };
    default:
      return { do: 'give-up' };
  }
}
